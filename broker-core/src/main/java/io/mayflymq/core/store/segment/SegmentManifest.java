package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that list the segments of a log. Safe for use by several threads.
 *
 * <p>Lists which segments of a log must exist. Without it a segment whose file is missing could not
 * be told from one that has been deleted, and its messages would be lost without notice.
 *
 * <h2>What it means</h2>
 *
 * <p>A segment is listed when its file and name are safe, and before anything in it is confirmed.
 * It is removed from the list before its file is deleted. So a segment that is listed and does not
 * exist is missing, whenever the machine crashed. One that exists and is not listed is no error: it
 * had just been begun, or was about to be deleted, and then the log contains marks for all its
 * entries.
 *
 * <h2>Two files</h2>
 *
 * <p>Both have the same content, so damage or loss of one of them does no harm. They are
 * overwritten in place, which needs no further space on a full disk. A write may be torn, so the
 * other file must be safe at that time: the copy is forced, then the file is written and forced,
 * then the copy is written. A file whose write failed may be torn, and is written first. Notes of
 * what has been forced, which nothing waits for, are written to the copy only, and not forced.
 */
public final class SegmentManifest {
  /** The name of the file. */
  public static final String FILE = "segments.manifest";

  /** The name of the second one. */
  public static final String COPY = "segments.manifest.copy";

  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentManifest.class);

  private final LogDirectory directory;
  private ManifestContents contents;

  /** The name of the file whose last write failed, and which may be torn; null if there is none. */
  private String torn;

  private SegmentManifest(LogDirectory directory, ManifestContents contents) {
    this.directory = directory;
    this.contents = contents;
  }

  /**
   * The contents of a directory's manifest files. If they belong to different logs, the copy counts
   * as bad.
   *
   * @param contents the newest readable contents; null if neither can be read
   * @param bad the names of files that are missing or damaged, if there is or was a manifest at all
   */
  public record Found(ManifestContents contents, List<String> bad) {
    /** Returns the segments that must exist, and the log id of each. */
    NavigableMap<Integer, Long> segments() {
      return contents == null ? new TreeMap<>() : contents.segments();
    }

    /** Returns a location before which everything has been forced. */
    public long forcedTo() {
      return contents == null ? Location.NONE : contents.forcedTo();
    }
  }

  /**
   * Reads the files.
   *
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static Found read(LogDirectory directory) throws IOException {
    List<String> names = directory.list();
    ManifestContents newest = null;
    List<String> bad = new ArrayList<>();
    for (String name : List.of(FILE, COPY)) {
      ManifestContents found = names.contains(name) ? read(directory, name) : null;
      boolean foreign = found != null && newest != null && found.logId() != newest.logId();
      if (found == null || foreign) {
        bad.add(name);
      } else if (newest == null || found.revision() > newest.revision()) {
        newest = found;
      }
    }
    boolean none = !names.contains(FILE) && !names.contains(COPY);
    return new Found(newest, none ? List.of() : bad);
  }

  private static ManifestContents read(LogDirectory directory, String name) throws IOException {
    try (LogFile file = directory.open(name, false)) {
      byte[] bytes = new byte[(int) Math.min(file.size(), Integer.MAX_VALUE / 2)];
      file.read(ByteBuffer.wrap(bytes), 0);
      return ManifestContents.decode(bytes, name);
    }
  }

  /**
   * Brings the files up to date after a log was opened, and makes them safe.
   *
   * @param found their present contents
   * @param contents the contents that they must have
   */
  public static SegmentManifest settle(
      LogDirectory directory, Found found, ManifestContents contents) throws IOException {
    SegmentManifest manifest = new SegmentManifest(directory, contents);
    boolean whole = found.contents() != null && found.bad().isEmpty();
    if (!whole) {
      boolean fileFirst = found.bad().contains(FILE);
      manifest.create(fileFirst ? FILE : COPY);
      manifest.create(fileFirst ? COPY : FILE);
      directory.force();
    } else if (!contents.segments().equals(found.segments())) {
      manifest.requireStored();
    }
    return manifest;
  }

  private void create(String name) throws IOException {
    try (LogFile file =
        directory.list().contains(name) ? directory.open(name, true) : directory.create(name)) {
      file.write(ByteBuffer.wrap(contents.encode()), 0);
      file.force();
    }
  }

  /** The log's random id. */
  synchronized long logId() {
    return contents.logId();
  }

  /** Returns the highest number of a segment that must exist. */
  synchronized int highest() {
    return contents.highest();
  }

  /** Returns the owner's text. */
  synchronized String about() {
    return contents.about();
  }

  /**
   * Lists segments whose files are safe. If that cannot be written it is repeated with the next
   * change.
   *
   * @param metadataSeen the highest sequence number of metadata that the log has seen
   * @throws IOException if a force fails
   */
  public synchronized void add(Map<Integer, Long> segments, long metadataSeen) throws IOException {
    if (contents.segments().keySet().containsAll(segments.keySet())) {
      return;
    }
    TreeMap<Integer, Long> changed = new TreeMap<>(contents.segments());
    changed.putAll(segments);
    contents = contents.with(changed).noting(Location.NONE, metadataSeen);
    store();
  }

  /**
   * Removes segments from the list that are about to be deleted.
   *
   * @return whether that is safe; if not, none of them may be deleted
   * @throws IOException if a force fails
   */
  public synchronized boolean remove(Collection<Integer> segments) throws IOException {
    ManifestContents before = contents;
    TreeMap<Integer, Long> changed = new TreeMap<>(before.segments());
    if (!changed.keySet().removeAll(segments)) {
      return true;
    }
    contents = before.with(changed);
    boolean stored = store();
    if (!stored) {
      contents = before;
    }
    return stored;
  }

  /**
   * Cuts the list of a log that is about to be cut.
   *
   * @param end the location at which the log ends from now on, with offset 0 if its segment goes
   * @param highest the highest number that a segment has had
   * @throws IOException if that cannot be made safe: the log must not be cut then
   */
  public synchronized void cut(long end, int highest) throws IOException {
    contents = contents.cutAt(end, highest);
    requireStored();
  }

  /** Notes what has been forced, and which metadata the log has seen; neither need be safe. */
  public synchronized void note(long forcedTo, long metadataSeen) throws IOException {
    ManifestContents noted = contents.noting(forcedTo, metadataSeen);
    if (noted.forcedTo() == contents.forcedTo()
        && noted.metadataSeen() == contents.metadataSeen()) {
      return;
    }
    contents = noted;
    if (torn != null) {
      store();
    } else if (!write(COPY, false)) {
      torn = COPY;
    }
  }

  private void requireStored() throws IOException {
    if (!store()) {
      throw new IOException(FILE + " cannot be written");
    }
  }

  /** Writes it to both files. @return whether it is safe */
  private boolean store() throws IOException {
    if (torn == null && !force(COPY)) {
      return false;
    }
    String first = torn == null ? FILE : torn;
    String second = first.equals(FILE) ? COPY : FILE;
    torn = first;
    if (!write(first, true)) {
      return false;
    }
    torn = write(second, second.equals(FILE)) ? null : second;
    return true;
  }

  private boolean force(String name) throws IOException {
    LogFile file = open(name);
    if (file == null) {
      return false;
    }
    try (file) {
      file.force();
    }
    return true;
  }

  /**
   * @throws IOException if a force fails
   */
  private boolean write(String name, boolean forces) throws IOException {
    LogFile file = open(name);
    if (file == null) {
      return false;
    }
    try (file) {
      try {
        file.write(ByteBuffer.wrap(contents.encode()), 0);
      } catch (IOException e) {
        LOGGER.warn("{} in {} could not be written: {}", name, directory, e.toString());
        return false;
      }
      if (forces) {
        file.force();
      }
      return true;
    }
  }

  private LogFile open(String name) {
    try {
      return directory.open(name, true);
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be opened: {}", name, directory, e.toString());
      return null;
    }
  }
}
