package io.mayflymq.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** The share of free heap that is set for Java, at rest and under load. */
class HeapTrimmerTest {
  private static final String INTERVAL = "G1PeriodicGCInterval";
  private static final String LEAST = "MinHeapFreeRatio";
  private static final String MOST = "MaxHeapFreeRatio";

  private final Options options = new Options();
  private long collections = 100;

  /** The options of a Java. */
  private static final class Options implements HotSpotDiagnosticMXBean {
    final Map<String, Integer> values = new HashMap<>(Map.of(INTERVAL, 0, LEAST, 40, MOST, 70));
    VMOption.Origin origin = VMOption.Origin.DEFAULT;

    @Override
    public VMOption getVMOption(String name) {
      if (!values.containsKey(name)) {
        throw new IllegalArgumentException(name);
      }
      return new VMOption(name, values.get(name).toString(), true, origin);
    }

    @Override
    public void setVMOption(String name, String value) {
      values.put(name, Integer.parseInt(value));
      assertThat(values.get(LEAST)).as("as Java wants it").isLessThanOrEqualTo(values.get(MOST));
    }

    @Override
    public List<VMOption> getDiagnosticOptions() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void dumpHeap(String file, boolean live) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ObjectName getObjectName() {
      throw new UnsupportedOperationException();
    }
  }

  private void lookAfter(HeapTrimmer trimmer, int more) {
    collections += more;
    trimmer.look();
  }

  private void assertShares(int least, int most) {
    assertThat(options.values).containsEntry(LEAST, least).containsEntry(MOST, most);
  }

  @Test
  void freeHeapIsSmallAtRestAndDefaultUnderLoad() {
    HeapTrimmer trimmer = HeapTrimmer.begin(options, () -> collections, null);
    assertThat(options.values.get(INTERVAL)).isGreaterThanOrEqualTo(15_000);
    lookAfter(trimmer, 0);
    assertShares(40, 70);
    lookAfter(trimmer, 0);
    assertShares(10, 20);
    lookAfter(trimmer, 1);
    assertShares(10, 20);
    lookAfter(trimmer, 2);
    assertShares(40, 70);
    lookAfter(trimmer, 1);
    assertShares(10, 20);
  }

  @Test
  void heapThatHasGrownIsCollectedOnceAtTheBeginningOfARest() {
    long[] size = {48};
    List<Long> collected = new ArrayList<>();
    HeapTrimmer.Heap heap =
        new HeapTrimmer.Heap(
            () -> size[0],
            () -> 0,
            () -> {
              collected.add(size[0]);
              size[0] = 60;
              collections++;
            });
    HeapTrimmer trimmer = HeapTrimmer.begin(options, () -> collections, heap);
    lookAfter(trimmer, 0);
    lookAfter(trimmer, 0);
    assertThat(collected).as("it has not grown").isEmpty();
    lookAfter(trimmer, 10);
    size[0] = 500;
    lookAfter(trimmer, 10);
    assertThat(collected).as("there is work").isEmpty();

    lookAfter(trimmer, 1);
    assertThat(collected).containsExactly(500L);
    lookAfter(trimmer, 0);
    lookAfter(trimmer, 10);
    lookAfter(trimmer, 0);
    assertThat(collected).as("it has not grown again").containsExactly(500L);
  }

  @Test
  void heapMayGrowUntilTheNextRestIfAllOfItIsCollectedAgainAndAgain() {
    long[] whole = {7};
    HeapTrimmer.Heap heap = new HeapTrimmer.Heap(() -> 48, () -> whole[0], () -> {});
    HeapTrimmer trimmer = HeapTrimmer.begin(options, () -> collections, heap);
    lookAfter(trimmer, 100);
    whole[0] += 2;
    lookAfter(trimmer, 100);
    assertShares(40, 70);
    whole[0] += 3;
    lookAfter(trimmer, 100);
    assertShares(90, 95);

    lookAfter(trimmer, 100);
    assertShares(90, 95);
    lookAfter(trimmer, 0);
    assertShares(10, 20);
    lookAfter(trimmer, 100);
    assertShares(40, 70);
  }

  @Test
  void heapOptionsFromTheCommandLineAreKept() {
    options.origin = VMOption.Origin.VM_CREATION;
    HeapTrimmer trimmer = HeapTrimmer.begin(options, () -> collections, null);
    lookAfter(trimmer, 0);
    lookAfter(trimmer, 0);

    assertShares(40, 70);
    assertThat(options.values).containsEntry(INTERVAL, 0);
  }

  @Test
  void javaWithoutTheHeapOptionsIsNotChanged() {
    options.values.clear();
    HeapTrimmer trimmer = HeapTrimmer.begin(options, () -> collections, null);
    lookAfter(trimmer, 0);
    lookAfter(trimmer, 0);
    assertThat(options.values).isEmpty();
    HeapTrimmer.begin(null, () -> collections, null).look();
  }
}
