package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.store.segment.LogCheck.SegmentFile;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogCheckTest {
  @TempDir Path temporary;

  @Test
  void checkCountsMessagesAndSegments() throws IOException {
    LogRig rig = new LogRig();
    for (int i = 0; i < 100; i++) {
      rig.enqueue(i % 2, i, LogRig.message(i, 50));
    }
    for (int i = 4; i < 94; i += 2) {
      rig.settle(0, i);
    }
    rig.safe();
    LogCheck check = LogCheck.of(rig.directory);
    assertThat(check.damages()).isEmpty();
    assertThat(check.quarantined()).isEmpty();
    assertThat(check.segments().stream().mapToLong(SegmentFile::entries).sum()).isEqualTo(100);
    assertThat(check.segments().stream().mapToLong(SegmentFile::live).sum()).isEqualTo(55);
    assertThat(check.segments().stream().mapToLong(SegmentFile::settled).sum()).isEqualTo(45);
    SegmentFile first = check.segments().get(0);
    assertThat(first.file()).isEqualTo(SegmentNames.log(1));
    assertThat(first.index()).isTrue();
    assertThat(check.segments().get(check.segments().size() - 1).index()).isFalse();
  }

  /** Whatever has happened to a log and its files: a start finds what was reported before it. */
  @Property(tries = 300)
  void checkReportsWhatAStartFinds(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    LogRig rig = build(random);
    MemoryDirectory files =
        random.nextBoolean()
            ? rig.directory.afterKill()
            : rig.directory.afterPowerLoss(random, random.nextDouble());
    if (random.nextBoolean() && !files.names().isEmpty()) {
      harm(files, random);
    }
    Map<String, Integer> sizes = files.sizes();
    Map<String, byte[]> contents = new TreeMap<>();
    files.names().forEach(name -> contents.put(name, files.bytes(name).clone()));
    LogCheck check = LogCheck.of(files);
    assertThat(files.sizes()).isEqualTo(sizes);
    contents.forEach((name, bytes) -> assertThat(files.bytes(name)).isEqualTo(bytes));

    LogRig after = new LogRig(files, LogRig.options(Sync.ALWAYS).acceptingLoss());
    Map<String, Long> live = new HashMap<>();
    after
        .entries
        .values()
        .forEach(
            entry ->
                live.merge(SegmentNames.log(Location.segment(entry.location())), 1L, Long::sum));
    check
        .segments()
        .forEach(
            segment ->
                assertThat(segment.live())
                    .as("live of %s", segment)
                    .isEqualTo(live.getOrDefault(segment.file(), 0L)));
    // A start reads by the indexes; this reads the records too, and may find more.
    assertThat(check.damages()).containsAll(after.report.damages());
  }

  private static LogRig build(Random random) {
    LogRig rig = new LogRig();
    int count = random.nextInt(150);
    for (int i = 0; i < count; i++) {
      rig.enqueue(i % 3, i, LogRig.message(i, random.nextInt(150)));
      if (random.nextInt(2) == 0) {
        var key =
            rig.entries.ceilingKey(new LogRig.QueueKey(random.nextInt(3), random.nextInt(i + 1)));
        if (key != null) {
          rig.settle(key.queueId(), key.sequence());
        }
      }
      switch (random.nextInt(12)) {
        case 0 -> rig.safe();
        case 1 -> rig.log.flush();
        case 2 -> rig.log.compact(2000);
        case 3 -> rig.executor.runAll();
        default -> {}
      }
    }
    if (random.nextInt(3) == 0) {
      rig.safe();
      rig.close();
    }
    return rig;
  }

  private static void harm(MemoryDirectory files, Random random) {
    List<String> names = files.names();
    String name = names.get(random.nextInt(names.size()));
    byte[] bytes = files.bytes(name);
    if (bytes.length == 0) {
      return;
    }
    int at = random.nextInt(bytes.length);
    if (random.nextBoolean()) {
      bytes[at] ^= (byte) (1 << random.nextInt(8));
    } else {
      files.put(name, Arrays.copyOf(bytes, at));
    }
  }

  @Test
  void checkFindsDamageInCompleteSegments() throws IOException {
    LogRig rig = new LogRig();
    for (int i = 0; i < 60; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.safe();
    rig.directory.bytes(SegmentNames.log(1))[2000] ^= 1;
    assertThat(rig.reopen().report.damages()).isEmpty();
    assertThat(LogCheck.of(rig.directory).damages())
        .singleElement()
        .satisfies(
            damage -> {
              assertThat(damage.kind()).isEqualTo(Damage.Kind.RECORDS);
              assertThat(damage.from()).isLessThanOrEqualTo(2000);
              assertThat(damage.to()).isGreaterThan(2000);
            });
  }

  @Test
  void checkReadsADirectoryOnDisk() throws IOException {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    for (String name : rig.directory.names()) {
      Files.write(temporary.resolve(name), rig.directory.bytes(name));
    }
    assertThat(LogCheck.of(temporary).segments())
        .containsExactly(
            new SegmentFile(
                SegmentNames.log(1),
                rig.directory.bytes(SegmentNames.log(1)).length,
                2,
                1,
                0,
                false));
    assertThatThrownBy(() -> LogCheck.of(temporary.resolve("none")))
        .isInstanceOf(IOException.class);
  }
}
