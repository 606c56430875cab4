package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the contents of a log when it is opened. A complete segment has an index, which is a
 * twentieth of its size or less; records are read only in the last segment, in those whose index is
 * missing or damaged, and in those that are shorter than their index says, and these get a new
 * index. All segments are complete afterwards: the log continues in a new one.
 *
 * <h2>What is torn, and what is damaged</h2>
 *
 * <p>Bytes at the end of the last segment that are not a valid record were being written when the
 * process or the machine crashed, and are cut. A machine may also lose one write and keep a later
 * one. Then everything from the first loss on is cut: records depend on each other, and a move
 * without the one before it would duplicate a message. Nothing that was confirmed is lost, as a
 * force covers all that was written before. So the question is whether invalid bytes, with valid
 * records after them, had been forced: the notes among these records (FORCED) tell that. If they
 * had been, or if the segment is not the last one, they are damage. Damage affects only what it
 * hit; it is copied to a separate file and reported, at every start until the segment is deleted.
 * (After bit rot in what was forced last before a kill, there may be no such note yet: this is
 * taken for a torn write. So when records follow, the cut bytes are copied to a separate file,
 * too.)
 */
public final class Recovery {
  /** Recovers all bursts that are whole. */
  public static final long ALL = Long.MAX_VALUE;

  private static final Logger LOGGER = LoggerFactory.getLogger(Recovery.class);
  private static final int MOST_COPIED_AT_ONCE = 1 << 20;

  private final LogDirectory directory;
  private final LogOptions options;
  private final SegmentTable table;
  private final RecoveryVisitor visitor;
  private final Bursts bursts;
  private final List<Damage> damages = new ArrayList<>();
  private final RecordHeader head = new RecordHeader();
  private final FileWindow window = SegmentScanner.window();
  private final List<String> unneeded = new ArrayList<>();

  /** Indexes of segments that were read before a replicated log is recovered. */
  private final Map<Integer, SegmentIndex> read = new HashMap<>();

  private Set<String> names;
  private SegmentManifest.Found found;
  private SegmentManifest manifest;
  private Long logId;
  private int lastSegment;
  private long nextRecord;
  private long records;
  private long bytes;

  /**
   * Prepares the recovery of a log.
   *
   * @param bursts receives the bursts of a replicated log; null for another one
   */
  public Recovery(
      LogDirectory directory,
      LogOptions options,
      SegmentTable table,
      RecoveryVisitor visitor,
      Bursts bursts) {
    this.directory = directory;
    this.options = options;
    this.table = table;
    this.visitor = visitor;
    this.bursts = bursts;
  }

  /** The log's id. */
  public long logId() {
    return logId;
  }

  /** Returns the highest number of a segment; 0 if there is none. */
  public int lastSegment() {
    ManifestContents listed = found.contents();
    int used = listed == null ? 0 : Math.max(listed.highest(), listed.used());
    return Math.max(lastSegment, used);
  }

  /** Returns the manifest; null if the log has none. */
  public SegmentManifest manifest() {
    return manifest;
  }

  /** Returns how many records the log has had so far. */
  public long nextRecord() {
    return nextRecord;
  }

  /**
   * Recovers the log.
   *
   * @param upTo the number of the last burst that is to remain of a replicated log; bursts behind
   *     it are undone. {@link #ALL} if none are
   */
  public RecoveryReport run(long upTo) throws IOException {
    found = readManifest();
    if (bursts != null) {
      cutBehind(upTo);
    }
    List<Integer> numbers = list();
    List<Opened> opened = new ArrayList<>();
    for (int number : numbers) {
      lastSegment = number;
      Opened segment = open(number);
      if (segment != null) {
        opened.add(segment);
      }
    }
    for (Opened segment : opened) {
      recover(segment);
    }
    directory.force();
    settleManifest();
    deleteUnneeded();
    damages.forEach(damage -> LOGGER.warn("message log in {}: {}", directory, damage));
    table.sealAll();
    return new RecoveryReport(table.all().size(), records, bytes, List.copyOf(damages));
  }

  private List<Integer> list() throws IOException {
    List<String> files = directory.list();
    names = new HashSet<>(files);
    return SegmentNames.segments(files);
  }

  private void cutBehind(long upTo) throws IOException {
    List<Integer> numbers = list();
    lastSegment = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
    BurstCut cut = new BurstCut(directory, numbers, this::indexOf);
    long from = cut.find(upTo);
    if (from != Location.NONE) {
      ManifestContents contents =
          found.contents() == null
              ? ManifestContents.empty(options.identity(), logId)
              : found.contents();
      cut.cut(from, SegmentManifest.settle(directory, found, contents));
      found = readManifest();
      read.clear();
    }
  }

  private SegmentIndex indexOf(int number) throws IOException {
    SegmentIndex known = read.get(number);
    if (known != null) {
      return known;
    }
    Opened opened = open(number);
    if (opened == null) {
      return null;
    }
    try (LogFile file = opened.file()) {
      SegmentHeader header = opened.header();
      if (header == null) {
        return null;
      }
      Segment segment = new Segment(header);
      segment.file = file;
      SegmentIndex index = loadIndex(number, header.logId());
      if (index == null || index.segmentLength() > file.size()) {
        index = scan(segment, index);
        read.put(number, index);
      }
      return index;
    }
  }

  private SegmentManifest.Found readManifest() throws IOException {
    LogIdentity identity = options.identity();
    if (identity == null) {
      return new SegmentManifest.Found(null, List.of());
    }
    SegmentManifest.Found read = SegmentManifest.read(directory);
    LogFiles.damages(directory, read, identity).forEach(this::report);
    boolean refuses = damages.stream().anyMatch(damage -> damage.kind().refuses());
    if (refuses && !options.acceptsLoss()) {
      throw new LogRefusedException(directory, damages);
    }
    boolean own = read.contents() != null && read.contents().identity().equals(identity);
    if (own) {
      logId = read.contents().logId();
      return read;
    }
    return new SegmentManifest.Found(null, List.of());
  }

  /** Lists exactly the segments that have been found. */
  private void settleManifest() throws IOException {
    if (logId == null) {
      logId = new SecureRandom().nextLong();
    }
    if (options.identity() != null) {
      TreeMap<Integer, Long> segments = new TreeMap<>();
      table.all().forEach(segment -> segments.put(segment.number, segment.header.logId()));
      ManifestContents before =
          found.contents() == null
              ? ManifestContents.empty(options.identity(), logId)
              : found.contents();
      ManifestContents after = before.segments().equals(segments) ? before : before.with(segments);
      manifest = SegmentManifest.settle(directory, found, after);
    }
  }

  /** A segment's file, and its header from there or else from its index; null if neither has it. */
  private record Opened(int number, LogFile file, SegmentHeader header, int copies) {
    String name() {
      return SegmentNames.log(number);
    }
  }

  private Opened open(int number) throws IOException {
    String name = SegmentNames.log(number);
    LogFile file = directory.open(name, true);
    SegmentHeader.Found read = SegmentHeader.read(file, name);
    SegmentHeader header = read.header();
    if (header == null) {
      SegmentIndex index = loadIndex(number, logId);
      header = index == null ? null : index.header();
    }
    if (header != null) {
      if (logId == null) {
        logId = header.logId();
      }
      if (header.shard() != options.shard()
          || header.segment() != number
          || header.logId() != logId) {
        file.close();
        setAside(name, header);
        return null;
      }
    }
    return new Opened(number, file, header, read.copies());
  }

  /** Renames a file of another log so that no log reads it. */
  private void setAside(String name, SegmentHeader header) throws IOException {
    if (!options.acceptsLoss()) {
      throw new IOException(
          "%s in %s is segment %d of another log, of shard %d: it does not belong here"
              .formatted(name, directory, header.segment(), header.shard()));
    }
    directory.rename(name, SegmentNames.foreign(name));
  }

  /**
   * @param id the log id that it must have; null if that is not known
   */
  private SegmentIndex loadIndex(int number, Long id) throws IOException {
    String name = SegmentNames.index(number);
    if (!names.contains(name)) {
      return null;
    }
    try (LogFile file = directory.open(name, false)) {
      SegmentIndex index = SegmentIndex.load(file, number);
      return index == null || (id != null && index.header().logId() != id) ? null : index;
    }
  }

  private void recover(Opened opened) throws IOException {
    LogFile file = opened.file();
    long size = file.size();
    SegmentHeader header = opened.header();
    if (header == null && logId != null) {
      header = new SegmentHeader(options.shard(), logId, opened.number(), nextRecord);
      header = bursts == null ? header : header.ofReplica();
    }
    if (header == null) {
      abandon(opened, size);
      return;
    }
    Segment segment = new Segment(header);
    segment.file = file;
    segment.written = true;
    table.add(segment);
    SegmentIndex index = read.get(opened.number());
    if (index == null) {
      index = loadIndex(opened.number(), header.logId());
    }
    if (index == null && names.contains(SegmentNames.index(opened.number()))) {
      checkIndex(SegmentNames.index(opened.number()));
    }
    boolean indexed = index != null && index.segmentLength() <= size;
    int count = replay(segment, indexed ? index : scan(segment, index));
    if (count == 0 && segment.length <= SegmentHeader.SPACE) {
      // Nothing of it can be used. The last segment was being created.
      if (size > 0 && opened.copies() < 2) {
        boolean isNew = index == null || index.records() == 0;
        boolean created = segment.number == lastSegment && isNew;
        Damage.Kind kind = created ? Damage.Kind.TORN_TAIL : Damage.Kind.HEADER;
        report(new Damage(opened.name(), kind, 0, Math.min(size, SegmentHeader.SPACE)));
      }
      table.deleted(segment);
      file.close();
      unneeded.add(SegmentNames.index(opened.number()));
      unneeded.add(opened.name());
      return;
    }
    if (opened.copies() < 2) {
      damages.add(new Damage(opened.name(), Damage.Kind.HEADER, 0, SegmentHeader.SPACE));
      header.store(file);
      file.force();
    }
    nextRecord = header.firstRecord() + count;
    records += count;
    bytes += segment.length;
  }

  private void checkIndex(String name) throws IOException {
    try (LogFile file = directory.open(name, false)) {
      if (!SegmentIndex.isUnfinished(file)) {
        damages.add(new Damage(name, Damage.Kind.INDEX, 0, file.size()));
      }
    }
  }

  /** Leaves an unreadable segment as it is, unless nothing was ever written to it. */
  private void abandon(Opened opened, long size) throws IOException {
    opened.file().close();
    if (size == 0 || (size <= SegmentHeader.SPACE && opened.number() == lastSegment)) {
      unneeded.add(opened.name());
    } else {
      damages.add(new Damage(opened.name(), Damage.Kind.SEGMENT, 0, size));
    }
  }

  /** Reports damage, unless that has been done already. */
  private void report(Damage damage) {
    if (!damages.contains(damage)) {
      damages.add(damage);
    }
  }

  private int replay(Segment segment, SegmentIndex index) {
    IndexCursor cursor = index.cursor();
    while (cursor.next(head)) {
      if (cursor.gap() > 0) {
        report(records(segment, head.offset - cursor.gap(), head.offset));
      }
      dispatch(segment);
    }
    if (cursor.end() < index.segmentLength()) {
      report(records(segment, cursor.end(), index.segmentLength()));
    }
    segment.length = index.segmentLength();
    return index.records();
  }

  /** Reads a segment, cuts its torn end, and writes its index, which it returns. */
  private SegmentIndex scan(Segment segment, SegmentIndex index) throws IOException {
    SegmentScanner scanner = new SegmentScanner(segment.file, segment, window);
    IndexBuilder builder = new IndexBuilder((int) (scanner.size() / 8));
    boolean mayBeTorn = segment.number == lastSegment && index == null;
    boolean torn = false;
    long noted = forcedByManifest(segment);
    long forcedTo = mayBeTorn ? -1 : Long.MAX_VALUE;
    while (!torn && scanner.next(head)) {
      long gap = scanner.gapFrom();
      if (head.offset > gap) {
        if (forcedTo < 0) {
          forcedTo = Math.max(noted, forcedTo(segment, head.offset));
        }
        torn = gap >= forcedTo;
        if (!torn) {
          report(records(segment, gap, head.offset));
          quarantine(segment, gap, head.offset);
        }
      }
      if (!torn) {
        builder.add(head);
      }
    }
    long end = torn ? scanner.gapFrom() : scanner.end();
    long size = scanner.size();
    segment.length = (int) size;
    if (mayBeTorn && size > end && end >= noted) {
      if (torn || !scanner.endsInOldBytes()) {
        report(new Damage(SegmentNames.log(segment.number), Damage.Kind.TORN_TAIL, end, size));
      }
      if (torn) {
        quarantine(segment, end, size);
      }
      segment.file.truncate(end);
      segment.length = (int) end;
    } else if (size > end) {
      report(records(segment, end, size));
      quarantine(segment, end, size);
    }
    long least = index == null ? noted : index.segmentLength();
    if (size < least) {
      report(records(segment, size, least));
    }
    segment.file.force();
    SegmentIndex built = builder.build(segment.header, segment.length);
    store(built);
    return built;
  }

  /** Returns how much of a segment had been forced, according to its notes from here on. */
  private long forcedTo(Segment segment, int from) throws IOException {
    SegmentScanner scanner = new SegmentScanner(segment.file, segment, window, from);
    RecordHeader next = new RecordHeader();
    long forced = 0;
    while (scanner.next(next)) {
      if (next.type == RecordType.FORCED) {
        forced = next.forcedTo;
      }
    }
    return forced;
  }

  /** Returns how much of a segment had been forced according to the manifest; 0 without a note. */
  private long forcedByManifest(Segment segment) {
    long location = found.forcedTo();
    return Location.segment(location) == segment.number ? Location.offset(location) : 0;
  }

  private void store(SegmentIndex index) {
    try {
      index.store(directory);
    } catch (IOException e) {
      LOGGER.warn(
          "The index of segment {} in {} could not be written ({}); the next start reads the"
              + " segment instead",
          index.header().segment(),
          directory,
          e.toString());
    }
  }

  private void dispatch(Segment segment) {
    table.account(segment, head);
    if (bursts != null) {
      bursts.has(head);
    }
    if (head.type == RecordType.DELIVERED) {
      visitor.delivered(head.deliveredQueue, head.deliveredUpTo);
    }
    if (head.type == RecordType.RETURNED) {
      visitor.returned(head.returnedQueue, head.returnedNotes, head.returnedAll);
    }
    if (head.type == RecordType.APPLIED) {
      visitor.applied(
          head.appliedOrigin, head.appliedNumber, head.unknownUpTo, head.appliedOutcome);
    }
    boolean marks = head.goneCount() > 0 && table.find(head.goneSegment) != null;
    if (marks && head.type == RecordType.REMOVED) {
      visitor.removed(head.goneQueue, head.goneFrom, head.goneTo, head.goneSegment, head.removal);
    } else if (marks) {
      head.forEachGone((queueId, from, to) -> visitor.settled(queueId, from, to, head.goneSegment));
    }
    if (head.type.hasContent) {
      RecordTargets targets = head.targets;
      for (int i = 0; i < targets.size(); i++) {
        if (head.replaces(i)) {
          visitor.replaced(targets.queueId(i), targets.sequence(i));
        }
        visitor.enqueued(
            targets.queueId(i),
            targets.sequence(i),
            targets.deadlineMillis(i),
            targets.flags(i),
            head.enqueuedAt,
            head.priority,
            head.bodyLength,
            head.location());
      }
    }
  }

  private static Damage records(Segment segment, long from, long to) {
    return new Damage(SegmentNames.log(segment.number), Damage.Kind.RECORDS, from, to);
  }

  private void quarantine(Segment segment, long from, long to) {
    String name = SegmentNames.damaged(segment.number, from);
    if (names.contains(name)) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(MOST_COPIED_AT_ONCE, to - from));
    try (LogFile copy = directory.create(name)) {
      for (long at = from; at < to; at += buffer.limit()) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), to - at));
        segment.file.read(buffer, at);
        copy.write(buffer.flip(), at - from);
      }
      copy.force();
    } catch (IOException e) {
      LOGGER.warn(
          "The damaged bytes of {} in {} could not be copied: {}",
          segment,
          directory,
          e.toString());
    }
  }

  /** Deletes segments that are no longer listed in a manifest. */
  private void deleteUnneeded() throws IOException {
    for (String name : names) {
      boolean index = name.endsWith(".idx") && !names.contains(name.replace(".idx", ".log"));
      if (index || SegmentNames.isSpare(name)) {
        unneeded.add(name);
      }
    }
    for (String name : unneeded) {
      directory.delete(name);
    }
    if (!unneeded.isEmpty()) {
      directory.force();
    }
  }
}
