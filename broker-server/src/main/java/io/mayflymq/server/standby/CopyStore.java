package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.segment.FileGate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The copies of a standby on its disk.
 *
 * <p>Messages are appended to files, in the order in which they come: so those of a queue are in
 * the order of their numbers. What is in memory of them are the numbers that are still at the
 * primary, as ranges. They are in one small file, the index, with all else that has to be known
 * after a restart. {@link #commit} makes the messages safe and then replaces the index at once. So
 * after a crash everything is as at the last commit; what was appended since then is cut off.
 *
 * <p>Files whose messages have left are deleted, and those with few are rewritten together.
 *
 * <p>Belongs to one thread. After an IOException it is to be opened anew.
 */
final class CopyStore implements AutoCloseable {
  /** What has become of the standby. */
  enum State {
    /** It follows its primary. */
    FOLLOWING,
    /** It becomes the first: the copies are being moved to their queues. */
    PROMOTING,
    /** It is the first, and follows no more. */
    FIRST
  }

  /** What was told by a node of the primary last. */
  record Told(String process, long nowMillis) {}

  /** Receives copies. */
  @FunctionalInterface
  interface Visitor {
    /** A copy; those of a queue come in the order of their numbers. */
    void copy(QueueKey key, CopiedMessage message) throws IOException;
  }

  private static final String INDEX = "index";
  private static final String DEFINITIONS = "definitions.json";
  private static final String SUFFIX = ".copies";
  private static final String NEW = ".new";
  private static final int VERSION = 1;
  private static final int HEADER = 8;
  private static final int MOST_BUFFERED = 1 << 20;
  private static final int MOST_MESSAGE = 1 << 30;

  /** So many small files are rewritten together although little is gained. */
  private static final int MANY = 16;

  private final Path directory;
  private final FileGate gate;
  private final long segmentBytes;
  private final Map<QueueKey, List<Generation>> copies = new HashMap<>();
  private final Map<Integer, Generation> generations = new HashMap<>();
  private final List<Segment> segments = new ArrayList<>();
  private final Map<String, Told> told = new LinkedHashMap<>();
  private final ByteWriter buffered = new ByteWriter();
  private State state = State.FOLLOWING;
  private String cluster = "";
  private String definitionsTag = "";
  private long sinceMillis;
  private long completeMillis;
  private int lastGeneration;
  private long lastFile;
  private FileChannel open;
  private boolean changed;

  /** Numbers of a queue that are never given twice. */
  private static final class Generation {
    final int number;
    final QueueKey key;
    final long id;
    SequenceRanges live;

    /** Up to this number all were looked at. */
    long seen;

    Generation(int number, QueueKey key, long id, SequenceRanges live, long seen) {
      this.number = number;
      this.key = key;
      this.id = id;
      this.live = live;
      this.seen = seen;
    }
  }

  /** What a file has of a generation: all that was copied between two numbers. */
  private record Held(long first, long last, long count, long bytes) {
    static Held with(Held before, long sequence, long size) {
      return before == null
          ? new Held(sequence, sequence, 1, size)
          : new Held(before.first, sequence, before.count + 1, before.bytes + size);
    }
  }

  private static final class Segment {
    final long file;
    final Map<Integer, Held> held = new LinkedHashMap<>();
    long length;

    Segment(long file) {
      this.file = file;
    }
  }

  private CopyStore(Path directory, FileGate gate, long segmentBytes) {
    this.directory = directory;
    this.gate = gate;
    this.segmentBytes = segmentBytes;
  }

  /** Returns whether a directory has copies. */
  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(INDEX));
  }

  /**
   * Opens a directory, which is made if it is not there.
   *
   * @param gate that through which all changes of files pass
   * @param segmentBytes with so many bytes a file is full
   * @throws IOException if it cannot be read, or is damaged
   */
  static CopyStore open(Path directory, FileGate gate, long segmentBytes) throws IOException {
    CopyStore store = new CopyStore(directory, gate, segmentBytes);
    Files.createDirectories(directory);
    if (isIn(directory)) {
      try {
        store.readIndex(Files.readAllBytes(directory.resolve(INDEX)));
      } catch (ByteFormatException e) {
        throw new IOException(
            "the copies in %s are damaged: %s".formatted(directory, e.getMessage()), e);
      }
    } else {
      store.changed = true;
    }
    store.removeStrangers();
    store.cutOff();
    return store;
  }

  // What is known

  State state() {
    return state;
  }

  void setState(State reached) {
    state = reached;
    changed = true;
  }

  /** Returns the identity of the primary; empty before the first round. */
  String cluster() {
    return cluster;
  }

  void setCluster(String id) {
    if (!id.equals(cluster)) {
      cluster = id;
      changed = true;
    }
  }

  /** Returns since when it follows, in ms since the epoch; 0 before the first complete round. */
  long sinceMillis() {
    return sinceMillis;
  }

  /** Returns when the last complete round began; 0 before the first one. */
  long completeMillis() {
    return completeMillis;
  }

  /** A round is complete, which began at this time. It becomes safe with something else. */
  void setComplete(long beganMillis) {
    completeMillis = beganMillis;
    if (sinceMillis == 0) {
      sinceMillis = beganMillis;
      changed = true;
    }
  }

  /** Returns what a node of the primary has told last; null if nothing. */
  Told told(String node) {
    return told.get(node);
  }

  void setTold(String node, Told last) {
    Told before = told.put(node, last);
    if (before == null || !before.process().equals(last.process())) {
      changed = true;
    }
  }

  /** Returns the entity tag of the definitions; empty if there are none. */
  String definitionsTag() {
    return definitionsTag;
  }

  /** Returns the definitions of the primary, in JSON; null if there are none. */
  byte[] definitions() throws IOException {
    return definitionsTag.isEmpty() ? null : Files.readAllBytes(directory.resolve(DEFINITIONS));
  }

  void setDefinitions(byte[] json, String tag) throws IOException {
    replace(DEFINITIONS, json);
    definitionsTag = tag;
    changed = true;
  }

  /** Returns the queues of which there are copies. */
  List<QueueKey> keys() {
    return List.copyOf(copies.keySet());
  }

  /** Returns the number of the queue that the copies are of; -1 if there are none. */
  long idOf(QueueKey key) {
    List<Generation> found = copies.get(key);
    return found == null ? -1 : last(found).id;
  }

  /** Returns up to which number messages of a queue were looked at; -1 if none was. */
  long seen(QueueKey key) {
    List<Generation> found = copies.get(key);
    return found == null ? -1 : last(found).seen;
  }

  /** Returns how many copies there are of a queue. */
  long count(QueueKey key) {
    return copies.getOrDefault(key, List.of()).stream().mapToLong(each -> each.live.count()).sum();
  }

  /** Returns how many copies there are. */
  long count() {
    return generations.values().stream().mapToLong(each -> each.live.count()).sum();
  }

  /** Returns about how many bytes the copies have. */
  long bytes() {
    return segments.stream().mapToLong(this::liveBytes).sum();
  }

  private static Generation last(List<Generation> found) {
    return found.get(found.size() - 1);
  }

  // Changes

  /**
   * Adds copies of a queue.
   *
   * @param id the number of the queue
   * @param messages as {@link CopiedMessage} writes them, in order, behind all that there are
   * @param seen up to this number all were looked at
   */
  void append(QueueKey key, long id, List<byte[]> messages, long seen) throws IOException {
    List<Generation> found = copies.computeIfAbsent(key, any -> new ArrayList<>(1));
    if (found.isEmpty()) {
      begin(found, key, id);
    }
    Generation generation = last(found);
    for (byte[] message : messages) {
      long sequence = CopiedMessage.sequenceOf(message);
      Segment segment = current();
      int size = frame(generation.number, message);
      generation.live.append(sequence, sequence + 1);
      segment.length += size;
      segment.held.compute(
          generation.number, (number, before) -> Held.with(before, sequence, size));
      if (buffered.size() >= MOST_BUFFERED) {
        flush();
      }
    }
    generation.seen = Math.max(generation.seen, seen);
    changed = true;
  }

  private void begin(List<Generation> found, QueueKey key, long id) {
    lastGeneration++;
    Generation generation = new Generation(lastGeneration, key, id, new SequenceRanges(), -1);
    found.add(generation);
    generations.put(generation.number, generation);
    changed = true;
  }

  private int frame(int generation, byte[] message) {
    int at = buffered.size();
    ByteWriter number = new ByteWriter(10).number(generation);
    CRC32C crc = new CRC32C();
    crc.update(number.bytes(), 0, number.size());
    crc.update(message);
    byte[] header = new byte[HEADER];
    ByteBuffer.wrap(header).putInt(number.size() + message.length).putInt((int) crc.getValue());
    buffered.append(header).append(number).append(message);
    return buffered.size() - at;
  }

  /** Returns the file that is written to. */
  private Segment current() throws IOException {
    if (open != null && segments.get(segments.size() - 1).length >= segmentBytes) {
      seal();
    }
    if (open == null) {
      Segment segment = new Segment(++lastFile);
      open = create(path(segment.file));
      segments.add(segment);
    }
    return segments.get(segments.size() - 1);
  }

  private static FileChannel create(Path path) throws IOException {
    return FileChannel.open(
        path,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  private void flush() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(buffered.bytes(), 0, buffered.size());
    gate.change(
        () -> {
          while (bytes.hasRemaining()) {
            open.write(bytes);
          }
        });
    buffered.clear();
  }

  private void seal() throws IOException {
    flush();
    open.force(true);
    open.close();
    open = null;
  }

  /**
   * Removes the copies of messages that have left.
   *
   * @param present the numbers of the messages that are still there
   * @return how many copies were removed
   */
  long retain(QueueKey key, SequenceRanges present) {
    long removed = 0;
    for (Generation generation : copies.getOrDefault(key, List.of())) {
      SequenceRanges left = generation.live.and(present);
      if (left.count() < generation.live.count()) {
        removed += generation.live.count() - left.count();
        generation.live = left;
        changed = true;
      }
    }
    return removed;
  }

  /** Removes the copies from a number on: these numbers were given to other messages. */
  void cut(QueueKey key, long from) {
    List<Generation> found = copies.get(key);
    if (found != null) {
      found.forEach(generation -> generation.live = generation.live.below(from));
      long id = last(found).id;
      begin(found, key, id);
      last(found).seen = from - 1;
    }
  }

  /** Removes all copies of a queue. */
  void drop(QueueKey key) {
    List<Generation> gone = copies.remove(key);
    if (gone != null) {
      gone.forEach(generation -> generations.remove(generation.number));
      changed = true;
    }
  }

  /** Removes all copies. */
  void dropAll() {
    keys().forEach(this::drop);
  }

  /** Makes everything safe. */
  void commit() throws IOException {
    if (!changed) {
      return;
    }
    if (open != null) {
      flush();
      open.force(false);
    }
    List<Segment> gone = compact();
    replace(INDEX, index());
    for (Segment segment : gone) {
      gate.change(() -> Files.deleteIfExists(path(segment.file)));
    }
    changed = false;
  }

  // Room

  private long liveBytes(Segment segment) {
    long live = 0;
    for (Map.Entry<Integer, Held> each : segment.held.entrySet()) {
      Generation generation = generations.get(each.getKey());
      Held held = each.getValue();
      if (generation != null) {
        long count = generation.live.countBetween(held.first(), held.last());
        live += count == held.count() ? held.bytes() : held.bytes() * count / held.count();
      }
    }
    return live;
  }

  private long liveCount(Segment segment) {
    long live = 0;
    for (Map.Entry<Integer, Held> each : segment.held.entrySet()) {
      Generation generation = generations.get(each.getKey());
      if (generation != null) {
        live += generation.live.countBetween(each.getValue().first(), each.getValue().last());
      }
    }
    return live;
  }

  /**
   * Removes files without copies from the list, and rewrites neighbours with few.
   *
   * @return files that are to be deleted once the index does not name them
   */
  private List<Segment> compact() throws IOException {
    List<Segment> gone = new ArrayList<>();
    Segment writing = open == null ? null : segments.get(segments.size() - 1);
    for (Iterator<Segment> each = segments.iterator(); each.hasNext(); ) {
      Segment segment = each.next();
      if (segment != writing && liveCount(segment) == 0) {
        gone.add(segment);
        each.remove();
      }
    }
    int end = segments.size() - (writing == null ? 0 : 1);
    int from = 0;
    while (from < end) {
      int to = from;
      long live = 0;
      long length = 0;
      while (to < end && (to == from || live + liveBytes(segments.get(to)) <= segmentBytes)) {
        live += liveBytes(segments.get(to));
        length += segments.get(to).length;
        to++;
      }
      if (length > 2 * live || to - from >= MANY) {
        List<Segment> run = segments.subList(from, to);
        Segment rewritten = rewrite(run);
        gone.addAll(run);
        run.clear();
        segments.add(from, rewritten);
        return gone; // One at a time: a round is not to take long.
      }
      from = to;
    }
    return gone;
  }

  private Segment rewrite(List<Segment> run) throws IOException {
    Segment target = new Segment(++lastFile);
    ByteWriter out = new ByteWriter();
    try (FileChannel file = create(path(target.file))) {
      for (Segment segment : run) {
        scan(
            segment,
            (generation, frame) -> {
              long sequence = sequenceIn(frame);
              out.append(frame);
              target.length += frame.length;
              target.held.compute(
                  generation.number, (number, before) -> Held.with(before, sequence, frame.length));
              if (out.size() >= MOST_BUFFERED) {
                write(file, out);
              }
            });
      }
      write(file, out);
      file.force(true);
    }
    return target;
  }

  private void write(FileChannel file, ByteWriter out) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(out.bytes(), 0, out.size());
    gate.change(
        () -> {
          while (bytes.hasRemaining()) {
            file.write(bytes);
          }
        });
    out.clear();
  }

  // Reading

  /** Visits all copies. */
  void forEach(Visitor visitor) throws IOException {
    if (open != null) {
      flush();
    }
    for (Segment segment : segments) {
      scan(
          segment,
          (generation, frame) -> {
            ByteReader in = message(frame);
            visitor.copy(generation.key, CopiedMessage.read(in));
          });
    }
  }

  @FunctionalInterface
  private interface FrameVisitor {
    void frame(Generation generation, byte[] frame) throws IOException;
  }

  private static ByteReader message(byte[] frame) {
    ByteReader in = new ByteReader(ByteBuffer.wrap(frame, HEADER, frame.length - HEADER));
    in.number();
    return in;
  }

  private static long sequenceIn(byte[] frame) {
    return message(frame).number();
  }

  /** Visits the frames of a file whose messages are still there. */
  private void scan(Segment segment, FrameVisitor visitor) throws IOException {
    Path path = path(segment.file);
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      FrameReader frames = new FrameReader(file, segment.length);
      for (byte[] frame = frames.next(); frame != null; frame = frames.next()) {
        ByteReader in = new ByteReader(ByteBuffer.wrap(frame, HEADER, frame.length - HEADER));
        Generation generation = generations.get(in.integer());
        if (generation != null && generation.live.contains(in.number())) {
          visitor.frame(generation, frame);
        }
      }
    } catch (ByteFormatException e) {
      throw new IOException("%s is damaged: %s".formatted(path, e.getMessage()), e);
    }
  }

  /** Reads frames from a file, which has at least as many bytes. */
  private static final class FrameReader {
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocate(MOST_BUFFERED);
    private long left;

    FrameReader(FileChannel file, long length) {
      this.file = file;
      this.left = length;
      buffer.limit(0);
    }

    /** Returns the next frame with its header; null at the end. */
    byte[] next() throws IOException {
      if (left == 0) {
        return null;
      }
      byte[] header = read(HEADER);
      int size = ByteBuffer.wrap(header).getInt();
      if (size < 2 || size > MOST_MESSAGE || size > left) {
        throw new ByteFormatException("a message of %d bytes".formatted(size));
      }
      byte[] payload = read(size);
      CRC32C crc = new CRC32C();
      crc.update(payload);
      if ((int) crc.getValue() != ByteBuffer.wrap(header).getInt(4)) {
        throw new ByteFormatException("a message has a wrong checksum");
      }
      byte[] frame = Arrays.copyOf(header, HEADER + size);
      System.arraycopy(payload, 0, frame, HEADER, size);
      return frame;
    }

    private byte[] read(int size) throws IOException {
      if (size > left) {
        throw new ByteFormatException("it ends within a message");
      }
      byte[] bytes = new byte[size];
      int at = 0;
      while (at < size) {
        if (!buffer.hasRemaining()) {
          buffer.clear();
          if (file.read(buffer) < 0) {
            throw new ByteFormatException("it is shorter than it was");
          }
          buffer.flip();
        }
        int some = Math.min(size - at, buffer.remaining());
        buffer.get(bytes, at, some);
        at += some;
      }
      left -= size;
      return bytes;
    }
  }

  // Files

  private Path path(long file) {
    return directory.resolve("%08d".formatted(file) + SUFFIX);
  }

  private void replace(String name, byte[] content) throws IOException {
    Path written = directory.resolve(name + NEW);
    gate.change(
        () -> {
          try (FileChannel file = create(written)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
              file.write(bytes);
            }
            file.force(true);
          }
          Files.move(
              written,
              directory.resolve(name),
              StandardCopyOption.ATOMIC_MOVE,
              StandardCopyOption.REPLACE_EXISTING);
          try (FileChannel listing = FileChannel.open(directory, StandardOpenOption.READ)) {
            listing.force(true);
          }
        });
  }

  /** Removes files that the index does not name. */
  private void removeStrangers() throws IOException {
    Set<Path> known = new HashSet<>();
    segments.forEach(segment -> known.add(path(segment.file)));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(NEW) || (name.endsWith(SUFFIX) && !known.contains(file))) {
          Files.delete(file);
        }
      }
    }
  }

  /** Cuts off what the index does not know: files grow from then on in another one. */
  private void cutOff() throws IOException {
    for (Segment segment : segments) {
      Path path = path(segment.file);
      if (Files.notExists(path) || Files.size(path) < segment.length) {
        throw new IOException("%s is not there, or shorter than it was".formatted(path));
      }
      if (Files.size(path) > segment.length) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
          file.truncate(segment.length);
        }
      }
    }
  }

  private byte[] index() {
    ByteWriter out = new ByteWriter(1024);
    out.octet(VERSION).text(state.name()).text(cluster).text(definitionsTag);
    out.number(sinceMillis).number(completeMillis).number(lastGeneration).number(lastFile);
    out.number(told.size());
    told.forEach((node, last) -> out.text(node).text(last.process()).signed(last.nowMillis()));
    out.number(generations.size());
    for (List<Generation> found : copies.values()) {
      for (Generation each : found) {
        out.number(each.number);
        each.key.write(out);
        out.number(each.id).signed(each.seen);
        each.live.write(out);
      }
    }
    out.number(segments.size());
    for (Segment segment : segments) {
      out.number(segment.file).number(segment.length).number(segment.held.size());
      segment.held.forEach(
          (number, held) ->
              out.number(number)
                  .number(held.first())
                  .number(held.last())
                  .number(held.count())
                  .number(held.bytes()));
    }
    CRC32C crc = new CRC32C();
    crc.update(out.bytes(), 0, out.size());
    byte[] end = new byte[4];
    ByteBuffer.wrap(end).putInt((int) crc.getValue());
    out.append(end);
    return Arrays.copyOf(out.bytes(), out.size());
  }

  private void readIndex(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, Math.max(0, bytes.length - 4));
    if (bytes.length < 4
        || ByteBuffer.wrap(bytes, bytes.length - 4, 4).getInt() != (int) crc.getValue()) {
      throw new ByteFormatException("the index has a wrong checksum");
    }
    ByteReader in = new ByteReader(bytes, bytes.length - 4);
    int version = in.octet();
    if (version != VERSION) {
      throw new ByteFormatException(
          "the index has version %d: expected %d".formatted(version, VERSION));
    }
    state = State.valueOf(in.text());
    cluster = in.text();
    definitionsTag = in.text();
    sinceMillis = in.number();
    completeMillis = in.number();
    lastGeneration = in.integer();
    lastFile = in.number();
    for (int left = in.count(3); left > 0; left--) {
      told.put(in.text(), new Told(in.text(), in.signed()));
    }
    List<Generation> all = new ArrayList<>();
    for (int left = in.count(7); left > 0; left--) {
      int number = in.integer();
      QueueKey key = QueueKey.read(in);
      long id = in.number();
      long seen = in.signed();
      all.add(new Generation(number, key, id, SequenceRanges.read(in), seen));
    }
    for (Generation each : all) {
      generations.put(each.number, each);
      copies.computeIfAbsent(each.key, any -> new ArrayList<>(1)).add(each);
    }
    for (int left = in.count(3); left > 0; left--) {
      Segment segment = new Segment(in.number());
      segment.length = in.number();
      for (int parts = in.count(5); parts > 0; parts--) {
        segment.held.put(
            in.integer(), new Held(in.number(), in.number(), in.number(), in.number()));
      }
      segments.add(segment);
    }
  }

  /** Closes the files; what was not committed is lost. */
  @Override
  public void close() {
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      // Nothing is lost by it: what counts was made safe by the last commit.
    }
  }
}
