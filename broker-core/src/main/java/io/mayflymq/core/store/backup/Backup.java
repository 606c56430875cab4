package io.mayflymq.core.store.backup;

import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.core.store.segment.FileGate;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Takes backups of a data directory. Thread-safe; one backup is taken at a time.
 *
 * <h2>One point of time</h2>
 *
 * <p>All changes of files are held back for a moment ({@link FileGate}). The files are then as a
 * process would leave them that is killed at that time: whatever was confirmed before is in them,
 * and a start recovers from the rest. In that moment only names are given out, and little is
 * copied:
 *
 * <pre>{@code
 * complete segments and their indexes      a hard link each
 * the growing segment of a stream          a hard link; copied afterwards, up to its length at
 *                                          that time
 * the last segment of a shard's log        copied: it may be a reused file, so its length does
 *                                          not tell where its records end
 * manifests, lists, metadata               copied
 * }</pre>
 *
 * <p>A segment that is deleted afterwards keeps its content in the backup. Its file would be reused
 * for a later segment and overwritten: {@code SegmentFiles} does not reuse a file that has another
 * name.
 *
 * <h2>Another file system</h2>
 *
 * <p>There the links are made in the data directory first, and are copied from there when changes
 * are no longer held back.
 *
 * <h2>All or nothing</h2>
 *
 * <p>A backup is made under another name, forced, and then renamed.
 */
public final class Backup {
  /** The directory in the data directory for links that are to be copied. */
  private static final String STAGING = "backup.staging";

  private static final String MESSAGES = "messages";
  private static final String PARTIAL = ".partial";
  private static final String SOURCE = ".source";

  private final Path data;
  private final FileGate gate;

  /**
   * @param data the data directory
   * @param gate through which all changes of its files pass
   */
  public Backup(Path data, FileGate gate) {
    this.data = data.toAbsolutePath().normalize();
    this.gate = gate;
  }

  /**
   * A finished backup.
   *
   * @param directory where it is
   * @param files how many files it has
   * @param bytes their length
   * @param linked how many of them are hard links to files of the data directory
   * @param heldNanos how long changes were held back
   */
  public record Report(Path directory, int files, long bytes, int linked, long heldNanos) {}

  /** A file of which a certain length is to be copied. */
  private record Part(Path source, Path target, long length) {}

  /** Removes what a backup has left that a crash interrupted. */
  public static void removeRest(Path data) throws IOException {
    delete(data.resolve(STAGING));
  }

  /**
   * Takes a backup.
   *
   * @param target a directory that does not exist, or is empty
   * @throws IOException if that cannot be used, or is full; then nothing is left of the backup. The
   *     message says why
   */
  public synchronized Report take(Path target) throws IOException {
    Path directory = target.toAbsolutePath().normalize();
    requireUsable(directory);
    Path partial = directory.resolveSibling(directory.getFileName() + PARTIAL);
    Path staging = data.resolve(STAGING);
    delete(partial);
    delete(staging);
    try {
      Files.createDirectory(partial, OwnerFiles.directory());
      boolean links = canLink(partial);
      Path first = links ? partial : staging;
      if (!links) {
        Files.createDirectory(staging, OwnerFiles.directory());
        if (!canLink(staging)) {
          throw new IOException("the file system of " + data + " has no hard links");
        }
      }
      Taking taking = new Taking(first);
      long began = System.nanoTime();
      gate.hold(taking::run);
      long held = System.nanoTime() - began;
      taking.copyGrowing();
      if (!links) {
        copyTree(staging, partial);
      }
      force(partial);
      Files.move(partial, directory, StandardCopyOption.ATOMIC_MOVE);
      forceOne(directory.getParent());
      return report(directory, links ? taking.linked : 0, held);
    } finally {
      delete(partial);
      delete(staging);
    }
  }

  private void requireUsable(Path directory) throws IOException {
    if (directory.startsWith(data)) {
      throw new IOException("it is in the data directory: expected another directory");
    }
    if (directory.getParent() == null || !Files.isDirectory(directory.getParent())) {
      throw new IOException("the directory above it does not exist");
    }
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      if (!Files.isDirectory(directory)) {
        throw new IOException("it exists and is not a directory");
      }
      if (!names(directory).isEmpty()) {
        throw new IOException("it is not empty: expected a directory that is new or empty");
      }
    }
  }

  /** Returns whether files of the data directory can get another name there. */
  private boolean canLink(Path there) throws IOException {
    Path source = data.resolve("mayfly.format");
    Path link = there.resolve("mayfly.link");
    try {
      Files.createLink(link, source);
      Files.delete(link);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** What is done while changes are held back, and what remains to be done then. */
  private final class Taking {
    private final Path target;
    private final List<Part> growing = new ArrayList<>();
    private int linked;

    Taking(Path target) {
      this.target = target;
    }

    void run() throws IOException {
      for (String name : names(data)) {
        if (FileKind.isNeededBeside(name)) {
          copy(data.resolve(name), target.resolve(name));
        }
      }
      Path messages = data.resolve(MESSAGES);
      Path to = Files.createDirectory(target.resolve(MESSAGES), OwnerFiles.directory());
      for (String name : names(messages)) {
        if (!Files.isDirectory(messages.resolve(name))) {
          take(messages, to, name, 0);
        } else if (FileKind.isNeeded(name)) {
          takeLog(
              messages.resolve(name),
              Files.createDirectory(to.resolve(name), OwnerFiles.directory()));
        }
      }
    }

    private void takeLog(Path from, Path to) throws IOException {
      List<String> names = names(from);
      int last = FileKind.last(names);
      for (String name : names) {
        take(from, to, name, last);
      }
    }

    private void take(Path from, Path to, String name, int last) throws IOException {
      Path source = from.resolve(name);
      switch (FileKind.of(from.getFileName().toString(), name, last)) {
        case COMPLETE -> {
          Files.createLink(to.resolve(name), source);
          linked++;
        }
        case OVERWRITTEN -> copy(source, to.resolve(name));
        case GROWING -> {
          Path link = Files.createLink(to.resolve(name + SOURCE), source);
          growing.add(new Part(link, to.resolve(name), Files.size(source)));
        }
        case UNNEEDED -> {}
      }
    }

    void copyGrowing() throws IOException {
      for (Part part : growing) {
        copy(part.source(), part.target(), part.length());
        Files.delete(part.source());
      }
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    copy(source, target, Long.MAX_VALUE);
  }

  private static void copy(Path source, Path target, long most) throws IOException {
    try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(
                target,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                OwnerFiles.file())) {
      long length = Math.min(most, in.size());
      for (long at = 0; at < length; ) {
        long copied = in.transferTo(at, length - at, out);
        if (copied <= 0) {
          throw new IOException(source + " has become shorter while it was copied");
        }
        at += copied;
      }
    }
  }

  private static void copyTree(Path from, Path to) throws IOException {
    for (Path source : tree(from)) {
      Path target = to.resolve(from.relativize(source));
      if (!Files.isDirectory(source)) {
        copy(source, target);
      } else if (!source.equals(from)) {
        Files.createDirectory(target, OwnerFiles.directory());
      }
    }
  }

  /** Makes all files and names below a directory safe from a crash of the machine. */
  private static void force(Path directory) throws IOException {
    for (Path each : tree(directory)) {
      forceOne(each);
    }
  }

  private static void forceOne(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static Report report(Path directory, int linked, long held) throws IOException {
    int files = 0;
    long bytes = 0;
    for (Path each : tree(directory)) {
      BasicFileAttributes attributes = Files.readAttributes(each, BasicFileAttributes.class);
      if (attributes.isRegularFile()) {
        files++;
        bytes += attributes.size();
      }
    }
    return new Report(directory, files, bytes, linked, held);
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      List<Path> all = new ArrayList<>(tree(directory));
      all.sort(Comparator.reverseOrder());
      for (Path each : all) {
        Files.delete(each);
      }
    }
  }

  private static List<Path> tree(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.toList();
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
