package io.mayflymq.core.store.segment;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks whether the files of a log exist and belong to it, using its manifest and the headers. No
 * record is read and nothing is changed.
 */
public final class LogFiles {
  private final LogDirectory directory;
  private final SegmentManifest.Found manifest;
  private final List<Damage> damages = new ArrayList<>();
  private Set<String> names;

  private LogFiles(LogDirectory directory, SegmentManifest.Found manifest) {
    this.directory = directory;
    this.manifest = manifest;
  }

  /**
   * The result of a check.
   *
   * @param identity the identity in the manifest; null if there is no manifest
   * @param logId the log's random id; null if there is no manifest
   * @param metadataSeen the highest sequence number of metadata that the log has seen, 0 if none
   * @param about the owner's text in the manifest
   * @param segments how many segments there are
   * @param damages the damages found
   */
  public record Found(
      LogIdentity identity,
      Long logId,
      long metadataSeen,
      String about,
      int segments,
      List<Damage> damages) {
    /** Whether the log must not be opened with these files. */
    public boolean refuses() {
      return damages.stream().anyMatch(damage -> damage.kind().refuses());
    }
  }

  /**
   * Checks the files of a log.
   *
   * @param identity the identity that they should have; null if that is not known
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static Found check(LogDirectory directory, LogIdentity identity) throws IOException {
    SegmentManifest.Found manifest = SegmentManifest.read(directory);
    return new LogFiles(directory, manifest).check(identity);
  }

  /**
   * Returns how much of a segment had been forced by the latest note, in bytes; 0 without a note.
   */
  public static int forcedOf(LogDirectory directory, int segment) throws IOException {
    long location = SegmentManifest.read(directory).forcedTo();
    return Location.segment(location) == segment ? Location.offset(location) : 0;
  }

  /** Does the same with a manifest that has been read. */
  public static List<Damage> damages(
      LogDirectory directory, SegmentManifest.Found manifest, LogIdentity identity)
      throws IOException {
    return new LogFiles(directory, manifest).check(identity).damages();
  }

  private Found check(LogIdentity wanted) throws IOException {
    List<String> files = directory.list();
    names = new HashSet<>(files);
    ManifestContents contents = manifest.contents();
    checkManifest(contents);
    boolean foreign = contents != null && wanted != null && !contents.identity().equals(wanted);
    if (foreign) {
      damages.add(new Damage(SegmentManifest.FILE, Damage.Kind.FOREIGN, 0, 0));
    }
    for (int number : manifest.segments().keySet()) {
      long size = sizeOf(SegmentNames.log(number));
      if (size < SegmentHeader.SPACE) {
        damages.add(new Damage(SegmentNames.log(number), Damage.Kind.MISSING, 0, size));
      }
    }
    List<Integer> numbers = SegmentNames.segments(files);
    for (int number : numbers) {
      checkHeader(number, contents);
    }
    return contents == null
        ? new Found(null, null, 0, "", numbers.size(), List.copyOf(damages))
        : new Found(
            contents.identity(),
            contents.logId(),
            contents.metadataSeen(),
            contents.about(),
            numbers.size(),
            List.copyOf(damages));
  }

  private void checkManifest(ManifestContents contents) {
    if (contents != null && contents.revision() == 0) {
      // it was just being created
      return;
    }
    Damage.Kind kind = contents == null ? Damage.Kind.MANIFEST : Damage.Kind.MANIFEST_COPY;
    manifest.bad().forEach(name -> damages.add(new Damage(name, kind, 0, sizeOf(name))));
  }

  private void checkHeader(int number, ManifestContents contents) throws IOException {
    String name = SegmentNames.log(number);
    SegmentHeader.Found found;
    try (LogFile file = directory.open(name, false)) {
      found = SegmentHeader.read(file, name);
    } catch (NoSuchFileException | FileNotFoundException e) {
      // a running broker has deleted it meanwhile
      return;
    }
    SegmentHeader header = found.header();
    if (header == null) {
      return;
    }
    boolean own = header.segment() == number;
    if (contents == null) {
      if (found.version() >= SegmentHeader.FIRST_WITH_MANIFEST && damages.isEmpty()) {
        damages.add(new Damage(SegmentManifest.FILE, Damage.Kind.MANIFEST, 0, 0));
        damages.add(new Damage(SegmentManifest.COPY, Damage.Kind.MANIFEST, 0, 0));
      }
    } else {
      long logId = contents.segments().getOrDefault(number, contents.logId());
      own &= header.logId() == logId;
    }
    if (!own) {
      damages.add(new Damage(name, Damage.Kind.FOREIGN, 0, sizeOf(name)));
    }
  }

  private long sizeOf(String name) {
    if (!names.contains(name)) {
      return 0;
    }
    try (LogFile file = directory.open(name, false)) {
      return file.size();
    } catch (IOException e) {
      // as if it did not exist
      return 0;
    }
  }
}
