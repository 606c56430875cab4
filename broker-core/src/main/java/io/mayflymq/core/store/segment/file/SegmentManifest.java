package io.mayflymq.core.store.segment.file;

import io.mayflymq.core.store.segment.record.Location;
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

/*
 * Which segments of a log must be there. Without it a segment whose file is missing could not be told from one that has been deleted, and its
 * messages would be lost without a word.
 *
 * WHAT IT MEANS
 * A segment is listed when its file and name are safe, and before anything in it is confirmed. It is taken off before its file is deleted. So a
 * segment that is listed and not there is missing, whenever the machine died. One that is there and not listed is all right: it had just
 * been begun, or was about to be deleted, and then the log says of all that it holds that it is gone.
 *
 * TWO FILES
 * Both say the same, so that one that is damaged or lost costs nothing. They are written over in place, which needs no room on a full disk. A
 * write may be torn, so the other file must be safe at that time: the copy is forced, then the file is written and forced, then the copy is
 * written. Of a file whose write failed it is known that it may be torn, and it is written first. Notes of what has been forced, which nobody
 * waits for, are written to the copy only, and not forced.
 */
/** The files that say which segments a log has. Safe for use by several threads. */
public final class SegmentManifest {
  /** The name of the file. */
  public static final String FILE = "segments.manifest";

  /** The name of the second one. */
  public static final String COPY = "segments.manifest.copy";

  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentManifest.class);

  private final LogDirectory directory;
  private ManifestContents contents;

  /** The name of the file whose last write failed, and that may be torn; null if none is. */
  private String torn;

  private SegmentManifest(LogDirectory directory, ManifestContents contents) {
    this.directory = directory;
    this.contents = contents;
  }

  /**
   * What the files of a directory say. Where they are of different logs, the copy is the bad one.
   *
   * @param contents the newest of what can be read; null if nothing can be
   * @param bad the names of files that are missing or damaged, if there is or was a manifest at all
   */
  public record Found(ManifestContents contents, List<String> bad) {
    /** The segments that must be there, and the log id of each. */
    NavigableMap<Integer, Long> segments() {
      return contents == null ? new TreeMap<>() : contents.segments();
    }

    /** A location before which the disk had everything. */
    public long forcedTo() {
      return contents == null ? Location.NONE : contents.forcedTo();
    }
  }

  /**
   * Reads what there is.
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
   * Makes the files say what there is after a log was opened, and safe.
   *
   * @param found what they say so far
   * @param contents what they are to say, if that is something else
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

  /** The highest number of a segment that must be there. */
  synchronized int highest() {
    return contents.highest();
  }

  /** What the owner wants to be told with the log. */
  synchronized String about() {
    return contents.about();
  }

  /**
   * Lists segments whose files are safe. If that cannot be written it is done with the next change.
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
   * Takes segments off that are about to be deleted.
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

  /** Brings it to both files. @return whether it is safe */
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
