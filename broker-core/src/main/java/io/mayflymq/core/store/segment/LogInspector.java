package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.QueueName;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads a log like Recovery, but every record of every segment, and writes nothing. It reports what
 * a recovery would find in the same files.
 *
 * <p>It makes two passes over the records, as a mark may be anywhere after the entry that it is
 * about: first over the files, where it collects the marks and makes an index of each segment in
 * memory, then over these to count the entries without a mark.
 */
final class LogInspector {
  private final LogDirectory directory;
  private final FileWindow window = SegmentScanner.window();
  private final RecordHeader head = new RecordHeader();
  private final List<Damage> damages = new ArrayList<>();
  private final Map<Integer, SettledEntries> settled = new HashMap<>();
  private final List<Read> read = new ArrayList<>();
  private final EntryCounter queues = new EntryCounter();
  private Set<String> names;
  private SegmentManifest.Found manifest;
  private Long logId;
  private int shard;
  private int lastSegment;
  private BurstId end = BurstId.NONE;

  /** A segment that has been read; without records if it is unreadable. */
  private record Read(int number, long bytes, SegmentIndex records, boolean indexed) {}

  LogInspector(LogDirectory directory) {
    this.directory = directory;
  }

  LogCheck inspect() throws IOException {
    manifest = SegmentManifest.read(directory);
    damages.addAll(LogFiles.damages(directory, manifest, null));
    logId = manifest.contents() == null ? null : manifest.contents().logId();
    List<String> files = directory.list();
    names = new HashSet<>(files);
    List<Integer> numbers = SegmentNames.segments(files);
    lastSegment = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
    for (int number : numbers) {
      try (LogFile file = directory.open(SegmentNames.log(number), false)) {
        read(number, file);
      } catch (NoSuchFileException | FileNotFoundException e) {
        // A broker that is running has deleted it meanwhile.
      }
    }
    List<LogCheck.SegmentFile> segments = new ArrayList<>();
    read.forEach(segment -> segments.add(count(segment)));
    List<String> quarantined = files.stream().filter(SegmentNames::isKeptAside).sorted().toList();
    return new LogCheck(
        directory.toString(), segments, List.copyOf(damages), quarantined, queues.all(), end);
  }

  private void read(int number, LogFile file) throws IOException {
    String name = SegmentNames.log(number);
    long size = file.size();
    SegmentHeader.Found found = SegmentHeader.read(file, name);
    SegmentIndex index = index(number, found.header() == null ? logId : found.header().logId());
    SegmentHeader header =
        found.header() != null || index == null ? found.header() : index.header();
    if (header == null && logId != null) {
      header = new SegmentHeader(shard, logId, number, 0);
    }
    if (header == null) {
      boolean created = size <= SegmentHeader.SPACE && number == lastSegment;
      damages.add(new Damage(name, created ? Damage.Kind.TORN_TAIL : Damage.Kind.SEGMENT, 0, size));
      read.add(new Read(number, size, null, false));
      return;
    }
    if (logId == null) {
      logId = header.logId();
    }
    shard = header.shard();
    SegmentIndex records = scan(new Segment(header), file, index);
    if (found.copies() < 2 && size > 0) {
      boolean created = records.records() == 0 && number == lastSegment && index == null;
      Damage.Kind kind = created ? Damage.Kind.TORN_TAIL : Damage.Kind.HEADER;
      damages.add(new Damage(name, kind, 0, Math.min(size, SegmentHeader.SPACE)));
    }
    // The index knows entries whose records are damaged: a start uses it, too.
    boolean believed = index != null && index.segmentLength() <= size;
    noteMarks(believed ? index : records);
    read.add(new Read(number, size, believed ? index : records, index != null));
  }

  private SegmentIndex index(int number, Long id) throws IOException {
    String name = SegmentNames.index(number);
    if (!names.contains(name)) {
      return null;
    }
    try (LogFile file = directory.open(name, false)) {
      SegmentIndex index = SegmentIndex.load(file, number);
      if (index != null && id != null && index.header().logId() != id) {
        index = null;
      }
      if (index == null && !SegmentIndex.isUnfinished(file)) {
        damages.add(new Damage(name, Damage.Kind.INDEX, 0, file.size()));
      }
      return index;
    } catch (NoSuchFileException | FileNotFoundException e) {
      return null; // A broker that is running has deleted it meanwhile.
    }
  }

  private SegmentIndex scan(Segment segment, LogFile file, SegmentIndex index) throws IOException {
    boolean mayBeTorn = segment.number == lastSegment && index == null;
    SegmentScanner scanner = new SegmentScanner(file, segment, window);
    IndexBuilder builder = new IndexBuilder((int) (scanner.size() / 8));
    IndexBuilder untorn = builder;
    List<Damage> gaps = new ArrayList<>();
    String name = SegmentNames.log(segment.number);
    long noted = forcedByManifest(segment);
    long forcedTo = noted;
    while (scanner.next(head)) {
      if (head.offset > scanner.gapFrom()) {
        gaps.add(new Damage(name, Damage.Kind.RECORDS, scanner.gapFrom(), head.offset));
      }
      if (head.type == RecordType.FORCED) {
        forcedTo = Math.max(forcedTo, head.forcedTo);
      }
      builder.add(head);
    }
    long end = scanner.end();
    long size = scanner.size();
    boolean old = mayBeTorn && scanner.endsInOldBytes();
    if (mayBeTorn) {
      long safe = forcedTo;
      Damage torn = gaps.stream().filter(gap -> gap.from() >= safe).findFirst().orElse(null);
      if (torn != null) {
        end = torn.from();
        old = false;
        untorn = until(builder.build(segment.header, (int) size), end);
      }
      long cut = end;
      gaps.removeIf(gap -> gap.from() >= cut);
    }
    damages.addAll(gaps);
    if (size > end && !old) {
      boolean torn = mayBeTorn && end >= noted;
      Damage.Kind kind = torn ? Damage.Kind.TORN_TAIL : Damage.Kind.RECORDS;
      damages.add(new Damage(name, kind, end, size));
    }
    long least = index == null ? noted : index.segmentLength();
    if (size < least) {
      damages.add(new Damage(name, Damage.Kind.RECORDS, size, least));
    }
    return untorn.build(segment.header, (int) end);
  }

  private long forcedByManifest(Segment segment) {
    long location = manifest.forcedTo();
    return Location.segment(location) == segment.number ? Location.offset(location) : 0;
  }

  /** Returns the part of an index before an offset. */
  private IndexBuilder until(SegmentIndex index, long end) {
    IndexBuilder builder = new IndexBuilder(1 << 10);
    IndexCursor cursor = index.cursor();
    while (cursor.next(head) && head.offset < end) {
      builder.add(head);
    }
    return builder;
  }

  private void noteMarks(SegmentIndex records) {
    IndexCursor cursor = records.cursor();
    while (cursor.next(head)) {
      head.forEachGone(
          (queueId, from, to) ->
              settled
                  .computeIfAbsent(head.goneSegment, number -> new SettledEntries())
                  .add(queueId, from, to));
    }
  }

  private LogCheck.SegmentFile count(Read segment) {
    String name = SegmentNames.log(segment.number);
    if (segment.records == null) {
      return new LogCheck.SegmentFile(name, segment.bytes, 0, 0, 0, false);
    }
    SettledEntries gone = settled.getOrDefault(segment.number, new SettledEntries());
    long entries = 0;
    long live = 0;
    IndexCursor cursor = segment.records.cursor();
    while (cursor.next(head)) {
      if (head.type.hasContent) {
        for (int i = 0; i < head.targets.size(); i++) {
          entries++;
          if (!gone.has(head.targets.queueId(i), head.targets.sequence(i))) {
            live++;
            queues.has(head.targets.queueId(i));
          }
        }
      } else if (head.type == RecordType.QUEUE) {
        queues.named(head.namedQueue, head.metadataSeen, QueueName.decode(head.queueName));
      } else if ((head.type == RecordType.BURST || head.type == RecordType.HISTORY)
          && head.burst.number() > end.number()) {
        end = head.burst;
      }
    }
    return new LogCheck.SegmentFile(
        name, segment.bytes, segment.records.records(), live, entries - live, segment.indexed);
  }
}
