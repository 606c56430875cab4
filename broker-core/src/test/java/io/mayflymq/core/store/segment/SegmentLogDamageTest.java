package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A log of which a file was changed by something else: a bit, a stretch, or an end cut off. */
class SegmentLogDamageTest {
  private static final LogOptions OPTIONS = LogRig.options(Sync.ALWAYS).acceptingLoss();

  /** Where the record of an entry ends. */
  private final Map<Long, Long> ends = new HashMap<>();

  @Property
  void flippedBitLosesAtMostOneRecord(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    LogRig before = build(random);
    MemoryDirectory directory = before.directory.afterKill();
    String name = anyFile(directory, random);
    byte[] bytes = directory.bytes(name);
    int at = random.nextInt(bytes.length);
    bytes[at] ^= (byte) (1 << random.nextInt(8));
    check(before, directory, name, at, at + 1L);
  }

  @Property
  void truncationLosesOnlyTheRecordsCutOff(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    LogRig before = build(random);
    MemoryDirectory directory = before.directory.afterKill();
    String name = anyFile(directory, random);
    byte[] bytes = directory.bytes(name);
    int at = random.nextInt(bytes.length);
    directory.put(name, Arrays.copyOf(bytes, at));
    check(before, directory, name, at, Long.MAX_VALUE);
  }

  @Property
  void zeroedBytesLoseOnlyTheRecordsTheyReplace(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    LogRig before = build(random);
    MemoryDirectory directory = before.directory.afterKill();
    String name = anyFile(directory, random);
    byte[] bytes = directory.bytes(name);
    int at = random.nextInt(bytes.length);
    int end = Math.min(bytes.length, at + random.nextInt(1500));
    Arrays.fill(bytes, at, end, (byte) 0);
    check(before, directory, name, at, end);
  }

  private LogRig build(Random random) throws IOException {
    LogRig rig = new LogRig(new MemoryDirectory(), OPTIONS);
    int count = 20 + random.nextInt(120);
    for (int i = 0; i < count; i++) {
      rig.enqueue(i % 3, i, LogRig.message(i, random.nextInt(150)));
      if (random.nextInt(3) == 0) {
        QueueKey key =
            rig.entries.ceilingKey(new QueueKey(random.nextInt(3), random.nextInt(i + 1)));
        if (key != null) {
          rig.settle(key.queueId(), key.sequence());
        }
      }
      if (random.nextInt(10) == 0) {
        rig.safe();
        rig.log.compact(2000);
      }
    }
    rig.safe();
    if (random.nextBoolean()) {
      rig.close();
    } else {
      rig.log.flush(); // It notes what has been forced.
      rig.executor.runAll();
    }
    RecordHeader head = new RecordHeader();
    for (int number : SegmentNames.segments(rig.directory.names())) {
      LogFile file = rig.directory.open(SegmentNames.log(number), false);
      Segment segment = new Segment(SegmentHeader.read(file, SegmentNames.log(number)).header());
      SegmentScanner scanner = new SegmentScanner(file, segment, SegmentScanner.window());
      while (scanner.next(head)) {
        ends.put(head.location(), (long) head.offset + head.length);
      }
    }
    return rig;
  }

  private static String anyFile(MemoryDirectory directory, Random random) {
    List<String> names = directory.names();
    return names.get(random.nextInt(names.size()));
  }

  private void check(LogRig before, MemoryDirectory damaged, String name, long from, long to) {
    LogRig after = new LogRig(damaged, OPTIONS);
    Set<QueueKey> unreadable = new HashSet<>();
    before.entries.forEach(
        (key, entry) -> {
          boolean hit =
              name.equals(SegmentNames.log(Location.segment(entry.location())))
                  && from < ends.get(entry.location())
                  && to > Location.offset(entry.location());
          boolean served = after.entries.containsKey(key) && readable(after, key);
          if (!hit) {
            assertThat(served).as("%s at %s", key, entry).isTrue();
            SegmentLogTest.assertSame(
                after.read(key.queueId(), key.sequence()),
                LogRig.message((int) key.sequence(), entry.bodyLength()));
          } else if (!served) {
            unreadable.add(key);
          }
        });
    // The end of the last segment may look as if it had never had more.
    boolean cleanCut =
        to == Long.MAX_VALUE && (from <= SegmentHeader.SPACE || ends.containsValue(from));
    if (!after.entries.keySet().equals(before.entries.keySet()) && !cleanCut) {
      assertThat(after.report.damages()).isNotEmpty();
    }
    // What is left is used on, and nothing more is lost by that.
    for (int i = 0; i < 40; i++) {
      after.enqueue(7, i, LogRig.message(i, 100));
    }
    for (int i = 0; i < 39; i++) {
      after.settle(7, i);
    }
    after.safe();
    after.compact();
    LogRig again = after.reopen();
    assertThat(again.entries.keySet()).isEqualTo(after.entries.keySet());
    again.entries.keySet().stream()
        .filter(key -> !unreadable.contains(key))
        .forEach(key -> assertThat(readable(again, key)).as("%s", key).isTrue());
  }

  private static boolean readable(LogRig rig, QueueKey key) {
    try {
      rig.read(key.queueId(), key.sequence());
      return true;
    } catch (DamagedRecordException e) {
      return false;
    }
  }
}
