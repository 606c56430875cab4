package io.mayflymq.core.deathjournal;

import io.mayflymq.core.store.OwnerFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a death journal. One thread writes; any may read.
 *
 * <p>Each has deaths with numbers that follow each other: a header, then the records of DeathCodec.
 * The oldest file is deleted to make room for the next one, so what is on the disk is bounded, and
 * a death is lost with up to an eighth of the journal.
 *
 * <p>The header has the number of the first death, and which file was before it and how far that
 * goes. So at the start only the last file is read, and those whose successor is missing.
 */
final class DeathFiles {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeathFiles.class);
  private static final String PREFIX = "deaths-";

  /** "MFDEATHS". */
  private static final long MAGIC = 0x4d46444541544853L;

  private static final int VERSION = 1;
  private static final int HEADER = 40;
  private static final int CHECKED = HEADER - Integer.BYTES;
  private static final int COUNT = 8;
  private static final int MOST_FILE_BYTES = 8 << 20;
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path directory;
  private final long mostBytes;
  private final int fileBytes;
  private final DeathCodec codec = new DeathCodec();
  private final ByteBuffer buffer;

  /** In the order of their numbers; the list and its parts are replaced, never changed. */
  private volatile List<Part> parts;

  /** That of the last part; null if the next death begins a new one. */
  private FileChannel channel;

  /**
   * A file.
   *
   * @param first the number of its first death
   * @param end the number after its last one
   * @param bytes how much of it is whole
   */
  record Part(Path path, long first, long end, int bytes) {}

  /** Is given deaths, the latest one first. */
  @FunctionalInterface
  interface Reader {
    /** Returns whether it wants more. */
    boolean take(long number, DeathRecord death);
  }

  private DeathFiles(Path directory, long mostBytes, List<Part> parts) {
    this.directory = directory;
    this.mostBytes = mostBytes;
    this.fileBytes = (int) Math.min(mostBytes / COUNT, MOST_FILE_BYTES);
    this.buffer = ByteBuffer.allocate(BUFFER_BYTES);
    this.parts = parts;
  }

  /**
   * Opens the files of a directory. What follows the last whole record is cut off.
   *
   * @param mostBytes how many bytes they have at most
   * @throws IOException if they cannot be used
   */
  static DeathFiles open(Path directory, long mostBytes) throws IOException {
    Files.createDirectories(directory, OwnerFiles.directory());
    List<Found> found = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory, PREFIX + "*")) {
      for (Path path : paths) {
        Found header = header(path);
        if (header == null) {
          LOGGER.warn("{} is damaged, and is deleted", path);
          Files.delete(path);
        } else {
          found.add(header);
        }
      }
    }
    found.sort(Comparator.comparingLong(Found::first));
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Found each = found.get(i);
      Found next = i + 1 < found.size() ? found.get(i + 1) : null;
      Part whole =
          new Part(each.path, each.first, each.first, Math.toIntExact(Files.size(each.path)));
      parts.add(
          next != null && next.before == each.first
              ? new Part(each.path, each.first, next.endBefore, whole.bytes)
              : read(whole));
    }
    DeathFiles files = new DeathFiles(directory, mostBytes, List.copyOf(parts));
    files.openLast();
    return files;
  }

  /**
   * A file with a valid header.
   *
   * @param before the number of the first death of the file before it; -1 if it was the first one
   * @param endBefore the number after the last death of that
   */
  private record Found(Path path, long first, long before, long endBefore) {}

  private static Found header(Path path) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    try (FileChannel file = FileChannel.open(path)) {
      while (header.hasRemaining() && file.read(header) >= 0) {
        // Until it is whole.
      }
    }
    header.flip();
    return header.limit() == HEADER
            && header.getLong(0) == MAGIC
            && header.getInt(8) == VERSION
            && header.getInt(CHECKED) == crc(header)
        ? new Found(path, header.getLong(12), header.getLong(20), header.getLong(28))
        : null;
  }

  private static int crc(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.slice(0, CHECKED));
    return (int) crc.getValue();
  }

  private void openLast() throws IOException {
    if (parts.isEmpty()) {
      return;
    }
    Part last = parts.get(parts.size() - 1);
    channel = FileChannel.open(last.path, StandardOpenOption.WRITE);
    long bytes = channel.size();
    if (last.bytes < bytes) {
      LOGGER.warn("{} is cut after {} of {} bytes: the rest is torn", last.path, last.bytes, bytes);
      channel.truncate(last.bytes);
    }
    channel.position(last.bytes);
  }

  /** Returns a file with as many deaths as are whole. */
  private static Part read(Part part) throws IOException {
    ByteBuffer file = content(part);
    List<Integer> places = new DeathCodec().places(file, HEADER);
    int bytes = HEADER;
    if (!places.isEmpty()) {
      int at = places.get(places.size() - 1);
      bytes = at + DeathCodec.HEADER + file.getInt(at);
    }
    return new Part(part.path, part.first, part.first + places.size(), bytes);
  }

  private void replaceLast(Part last) {
    List<Part> all = new ArrayList<>(parts);
    all.set(all.size() - 1, last);
    parts = List.copyOf(all);
  }

  /** Returns the number after the last death. */
  long end() {
    return parts.isEmpty() ? 0 : parts.get(parts.size() - 1).end;
  }

  /** Returns the files with the deaths below a number. Any thread may call. */
  List<Part> parts(long below) {
    return parts.stream()
        .filter(part -> part.first < below)
        .map(part -> new Part(part.path, part.first, Math.min(part.end, below), part.bytes))
        .toList();
  }

  /**
   * Appends deaths.
   *
   * @param first the number of the first one; beyond {@link #end} if there are others between that
   *     are lost
   * @param least deaths with lower numbers need not be kept
   * @throws IOException if not all could be written; the others are kept
   */
  void write(long first, List<DeathRecord> deaths, long least) throws IOException {
    try {
      long number = first;
      if (number != end()) {
        endFile();
      }
      for (DeathRecord death : deaths) {
        byte[] record = codec.encode(death);
        if (channel == null || !hasRoom(record.length)) {
          flush(number);
          endFile();
          begin(number, least);
        }
        if (record.length > buffer.remaining()) {
          flush(number);
        }
        put(record, number);
        number++;
      }
      flush(number);
    } catch (IOException e) {
      buffer.clear();
      try {
        endFile();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private boolean hasRoom(int length) {
    int used = parts.get(parts.size() - 1).bytes + buffer.position();
    return used == HEADER || used + length <= fileBytes;
  }

  private void put(byte[] record, long number) throws IOException {
    if (record.length <= buffer.remaining()) {
      buffer.put(record);
      return;
    }
    ByteBuffer large = ByteBuffer.wrap(record);
    while (large.hasRemaining()) {
      channel.write(large);
    }
    written(number + 1, record.length);
  }

  private void flush(long end) throws IOException {
    int bytes = buffer.flip().remaining();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
    if (bytes > 0) {
      written(end, bytes);
    }
  }

  private void written(long end, int bytes) {
    Part last = parts.get(parts.size() - 1);
    replaceLast(new Part(last.path, last.first, end, last.bytes + bytes));
  }

  private void endFile() throws IOException {
    if (channel != null) {
      FileChannel ended = channel;
      channel = null;
      ended.close();
    }
  }

  private void begin(long first, long least) throws IOException {
    List<Part> kept = new ArrayList<>(parts);
    while (!kept.isEmpty() && (bytes(kept) + fileBytes > mostBytes || kept.get(0).end <= least)) {
      Files.deleteIfExists(kept.remove(0).path);
    }
    Path path = directory.resolve("%s%019d".formatted(PREFIX, first));
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    long before = parts.isEmpty() ? -1 : parts.get(parts.size() - 1).first;
    header.putLong(MAGIC).putInt(VERSION).putLong(first).putLong(before).putLong(end());
    header.putInt(crc(header)).flip();
    channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING),
            OwnerFiles.file());
    while (header.hasRemaining()) {
      channel.write(header);
    }
    kept.removeIf(part -> part.path.equals(path));
    kept.add(new Part(path, first, first, HEADER));
    parts = List.copyOf(kept);
  }

  private static long bytes(List<Part> parts) {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  /**
   * Reads a file backwards. Does nothing if it has been deleted meanwhile. Any thread may call.
   *
   * @param reader is not given deaths that cannot be read
   */
  static void read(Part part, Reader reader) {
    ByteBuffer file;
    try {
      file = content(part);
    } catch (IOException e) {
      LOGGER.debug("{} cannot be read", part.path, e);
      return;
    }
    List<Integer> places = new DeathCodec().places(file, HEADER);
    int count = (int) Math.min(places.size(), part.end - part.first);
    boolean more = true;
    for (int i = count - 1; i >= 0 && more; i--) {
      DeathRecord death = DeathCodec.decode(file, places.get(i));
      more = death == null || reader.take(part.first + i, death);
    }
  }

  private static ByteBuffer content(Part part) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(part.bytes);
    try (FileChannel file = FileChannel.open(part.path)) {
      while (content.hasRemaining() && file.read(content) >= 0) {
        // Until all is read, or the file ends.
      }
    }
    return content.flip();
  }

  void close() {
    try {
      endFile();
    } catch (IOException e) {
      LOGGER.debug("the death journal could not be closed", e);
    }
  }
}
