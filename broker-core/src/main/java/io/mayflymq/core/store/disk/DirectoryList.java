package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The file {@code directories} beside the directories of logs. Safe for use by several threads.
 *
 * <p>The list of the directories of logs that must exist, so that a missing one is noticed. A file
 * of lines:
 *
 * <pre>{@code
 * mayfly-directories 1 UUID check         the first line, with the id of the data directory
 * + NAME ID check                         the directory must exist, and its log has this id
 * - NAME 0 check                          it need not exist any more
 * }</pre>
 *
 * <p>A check is the CRC32C of its line before it. Lines are appended and forced. A start rewrites
 * the file only if necessary, as it may be on a full disk. A directory is listed when it is safe,
 * and removed from the list before it is deleted: a listed directory that does not exist is
 * missing.
 */
final class DirectoryList {
  public static final String FILE = "directories";

  private static final String NEW_FILE = "directories.new";
  private static final String FIRST = "mayfly-directories 1";
  private static final int MOST_LINES = 1_000;

  private final LogDirectory root;
  private final TreeMap<String, Long> listed;
  private long length;

  private DirectoryList(LogDirectory root, SortedMap<String, Long> listed) {
    this.root = root;
    this.listed = new TreeMap<>(listed);
  }

  /**
   * The contents of the file.
   *
   * @param exists whether there is one
   * @param broker the id of the data directory; null if that cannot be read
   * @param listed the directories that must exist, and the ids of their logs
   * @param whole whether all of it can be read; a last line may be cut
   * @param end where the next line goes, in bytes; -1 if the file has to be rewritten first
   */
  public record Found(
      boolean exists, UUID broker, SortedMap<String, Long> listed, boolean whole, long end) {
    /** There is no file. */
    public static final Found NONE = new Found(false, null, Collections.emptySortedMap(), true, -1);
  }

  public static Found read(LogDirectory root) throws IOException {
    if (!root.list().contains(FILE)) {
      return Found.NONE;
    }
    String text;
    long size;
    try (LogFile file = root.open(FILE, false)) {
      size = file.size();
      byte[] bytes = new byte[(int) Math.min(size, Integer.MAX_VALUE / 2)];
      file.read(ByteBuffer.wrap(bytes), 0);
      text = new String(bytes, StandardCharsets.UTF_8);
    }
    List<String> lines = text.lines().toList();
    UUID broker = lines.isEmpty() ? null : broker(lines.get(0));
    TreeMap<String, Long> listed = new TreeMap<>();
    boolean whole = broker != null;
    for (int i = 1; i < lines.size(); i++) {
      boolean last = i == lines.size() - 1 && !text.endsWith("\n");
      whole &= take(lines.get(i), listed) || last;
    }
    boolean appendable = whole && text.endsWith("\n") && lines.size() <= MOST_LINES;
    return new Found(true, broker, listed, whole, appendable ? size : -1);
  }

  private static UUID broker(String line) {
    String content = checked(line);
    try {
      return content != null && content.startsWith(FIRST + " ")
          ? UUID.fromString(content.substring(FIRST.length() + 1))
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean take(String line, Map<String, Long> listed) {
    String content = checked(line);
    String[] parts = content == null ? new String[0] : content.split(" ");
    if (parts.length != 3) {
      return false;
    }
    if (parts[0].equals("+")) {
      listed.put(parts[1], Long.parseUnsignedLong(parts[2], 16));
    } else {
      listed.remove(parts[1]);
    }
    return true;
  }

  /** Returns the part of a line before its check; null if the check is wrong. */
  private static String checked(String line) {
    int at = line.lastIndexOf(' ');
    return at > 0 && line.equals(line(line.substring(0, at))) ? line.substring(0, at) : null;
  }

  private static String line(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.UTF_8));
    return content + " " + "%08x".formatted(crc.getValue());
  }

  /**
   * Makes the file contain the present directories; it is not written if it does already.
   *
   * @param found its present contents
   */
  public static DirectoryList settle(
      LogDirectory root, Found found, UUID broker, SortedMap<String, Long> listed)
      throws IOException {
    if (found.end() < 0 || !broker.equals(found.broker()) || !listed.equals(found.listed())) {
      return write(root, broker, listed);
    }
    try (LogFile file = root.open(FILE, true)) {
      // A process that was killed may have written a line that was not forced.
      file.force();
    }
    DirectoryList list = new DirectoryList(root, listed);
    list.length = found.end();
    return list;
  }

  /** Rewrites the file, atomically. */
  public static DirectoryList write(LogDirectory root, UUID broker, SortedMap<String, Long> listed)
      throws IOException {
    DirectoryList list = new DirectoryList(root, listed);
    StringBuilder text = new StringBuilder(line(FIRST + " " + broker)).append('\n');
    listed.forEach((name, id) -> text.append(line(added(name, id))).append('\n'));
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    try (LogFile file = root.create(NEW_FILE)) {
      file.write(ByteBuffer.wrap(bytes), 0);
      file.force();
    }
    root.rename(NEW_FILE, FILE);
    root.force();
    list.length = bytes.length;
    return list;
  }

  /** Lists a directory that must exist from now on. */
  public synchronized void add(String name, long id) throws IOException {
    if (!Long.valueOf(id).equals(listed.get(name))) {
      append(added(name, id));
      listed.put(name, id);
    }
  }

  /** Removes a directory from the list: it need not exist any more. */
  public synchronized void remove(String name) throws IOException {
    if (listed.containsKey(name)) {
      append("- " + name + " 0");
      listed.remove(name);
    }
  }

  private static String added(String name, long id) {
    return "+ " + name + " " + Long.toHexString(id);
  }

  private void append(String content) throws IOException {
    byte[] bytes = (line(content) + "\n").getBytes(StandardCharsets.UTF_8);
    try (LogFile file = root.open(FILE, true)) {
      file.write(ByteBuffer.wrap(bytes), length);
      file.force();
    }
    length += bytes.length;
  }
}
