package io.mayflymq.core.metadata;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the copies of the journal.
 *
 * <p>A commit is written to each copy and then forced in each. A failed write is cut off, and the
 * next one is made at the same place, so a disk that was full may be used again when it has space.
 * After a failed force the contents of the files are unknown: the caller must not write again.
 *
 * <p>The journal grows with the number of changes and not with the state. When the larger part of
 * it is obsolete, the state is read from the files and written to new ones, which then replace the
 * old ones. All steps that may fail on a full disk are done before the first file is replaced. The
 * state is not kept in memory for this purpose.
 */
final class JournalFiles implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(JournalFiles.class);
  private static final String NEW = ".new";

  /** A journal of fewer bytes is not compacted. */
  private static final long LEAST_BYTES = 1 << 20;

  private final LogDirectory directory;
  private final UUID id;
  private final List<Copy> copies = new ArrayList<>();
  private long sequence;
  private Usage usage;
  private ByteBuffer pending;

  /** The size at which a failed compaction is repeated, in bytes. */
  private long retryAt;

  private static final class Copy {
    final String name;
    final LogFile file;
    long end;

    Copy(String name, LogFile file, long end) {
      this.name = name;
      this.file = file;
      this.end = end;
    }
  }

  /**
   * Statistics of a copy's contents.
   *
   * @param snapshotBytes its size after the last compaction
   * @param sets how many entries set a value, in the snapshot and since
   * @param removals how many entries are removals
   */
  private record Usage(long snapshotBytes, long sets, long removals) {
    Usage plus(List<JournalEntry> entries) {
      long removed = entries.stream().filter(journalEntry -> journalEntry.value() == null).count();
      boolean vhost =
          entries.stream()
              .anyMatch(journalEntry -> journalEntry.value() == null && journalEntry.isVhost());
      // How many entries a deleted virtual host had is not known here: it may be all of them.
      return new Usage(
          snapshotBytes,
          sets + entries.size() - removed,
          vhost ? sets + entries.size() : removals + removed);
    }
  }

  private JournalFiles(LogDirectory directory, UUID id, long sequence) {
    this.directory = directory;
    this.id = id;
    this.sequence = sequence;
  }

  /**
   * Opens the copies of a journal, and repairs them.
   *
   * @param contents their contents; this state is written if a copy has to be rewritten
   * @param sequence the sequence of the last commit; if it differs from that of the contents, both
   *     copies are rewritten
   * @throws IOException if a copy cannot be opened or written
   */
  static JournalFiles open(LogDirectory directory, UUID id, JournalContents contents, long sequence)
      throws IOException {
    JournalFiles files = new JournalFiles(directory, id, sequence);
    try {
      files.openCopies(contents);
      return files;
    } catch (IOException e) {
      files.close();
      throw e;
    }
  }

  private void openCopies(JournalContents contents) throws IOException {
    List<String> anew = new ArrayList<>();
    for (JournalCopy copy : contents.copies()) {
      boolean usable =
          copy.exists()
              && id.equals(copy.directory())
              && contents.sequence() == sequence
              && copy.isWholeUpTo(sequence)
              && (copy.gaps().isEmpty() || copy.isTornOnly());
      if (!usable) {
        anew.add(copy.name());
      }
    }
    if (!anew.isEmpty()) {
      List<byte[]> parts = contents.entries().chunks();
      for (String name : anew) {
        write(name + NEW, parts);
      }
      for (String name : anew) {
        directory.rename(name + NEW, name);
        directory.force();
      }
    }
    for (JournalCopy copy : contents.copies()) {
      LogFile file = directory.open(copy.name(), true);
      boolean torn = !anew.contains(copy.name()) && copy.isTornOnly();
      long end = torn ? copy.gaps().get(0).from() : file.size();
      copies.add(new Copy(copy.name(), file, end));
      if (torn) {
        file.truncate(end);
      }
    }
    usage = new Usage(copies.get(0).end, contents.entries().size(), 0);
  }

  /** Writes the state to a file and forces it. @return its length in bytes */
  private long write(String name, List<byte[]> parts) throws IOException {
    try (LogFile file = directory.create(name)) {
      file.write(JournalHeader.encode(id), 0);
      long end = JournalHeader.BYTES;
      for (int i = 0; i < parts.size(); i++) {
        ByteBuffer part = Frame.part(id, sequence, i, parts.size(), parts.get(i));
        int bytes = part.remaining();
        file.write(part, end);
        end += bytes;
      }
      file.force();
      return end;
    }
  }

  /**
   * Writes a commit; it is not durable yet.
   *
   * @throws IOException if that fails; then nothing is left of it, and the next may be tried
   */
  void write(List<JournalEntry> entries) throws IOException {
    byte[][] encoded = entries.stream().map(JournalEntry::encode).toArray(byte[][]::new);
    pending = Frame.commit(id, sequence + 1, LiveEntries.joined(List.of(encoded)));
    if (copies.stream().anyMatch(copy -> copy.end + pending.limit() > JournalCopy.MOST_BYTES)) {
      throw new IOException(
          "metadata would be larger than %d bytes".formatted(JournalCopy.MOST_BYTES));
    }
    try {
      for (Copy copy : copies) {
        copy.file.write(pending.duplicate(), copy.end);
      }
    } catch (IOException e) {
      cutOff();
      throw e;
    }
    usage = usage.plus(entries);
  }

  private void cutOff() {
    for (Copy copy : copies) {
      try {
        copy.file.truncate(copy.end);
      } catch (IOException e) {
        // The next write is made at the same place.
        LOGGER.debug("{} could not be cut", copy.name, e);
      }
    }
  }

  /**
   * Makes the latest write durable.
   *
   * @throws IOException if that fails; then nothing must be written any more
   */
  void force() throws IOException {
    for (Copy copy : copies) {
      copy.file.force();
    }
    for (Copy copy : copies) {
      copy.end += pending.limit();
    }
    sequence++;
  }

  /** Whether the larger part of the journal is obsolete. */
  boolean isCompactionDue() {
    long end = copies.get(0).end;
    boolean wasteful =
        end > 2 * usage.snapshotBytes + LEAST_BYTES || 2 * usage.removals > usage.sets;
    return end > LEAST_BYTES && end >= retryAt && wasteful;
  }

  /**
   * Writes new copies with the state only.
   *
   * @return null, or why it failed; then the copies are unchanged
   * @throws IOException if they could not be replaced; then nothing must be written any more
   */
  String compact() throws IOException {
    long before = copies.get(0).end;
    long after;
    int live;
    try {
      LiveEntries entries = contents();
      List<byte[]> parts = entries.chunks();
      live = entries.size();
      after = 0;
      for (Copy copy : copies) {
        after = write(copy.name + NEW, parts);
      }
    } catch (IOException e) {
      retryAt = before + before / 4;
      removeNew();
      return e.getMessage();
    }
    for (int i = 0; i < copies.size(); i++) {
      Copy old = copies.get(i);
      directory.rename(old.name + NEW, old.name);
      copies.set(i, new Copy(old.name, directory.open(old.name, true), after));
      close(old);
      // One copy at a time: the other one is safe if a power loss undoes the rename.
      directory.force();
    }
    usage = new Usage(after, live, 0);
    retryAt = 0;
    return null;
  }

  /**
   * Reads everything that is durable.
   *
   * @throws IOException if it cannot be read in full
   */
  LiveEntries contents() throws IOException {
    JournalContents contents = JournalContents.read(directory, id);
    if (!contents.faults().isEmpty() || contents.sequence() != sequence) {
      throw new IOException("the files " + String.join("; ", contents.faults()));
    }
    return contents.entries();
  }

  private void removeNew() {
    for (Copy copy : copies) {
      try {
        directory.delete(copy.name + NEW);
      } catch (IOException e) {
        // The next compaction overwrites it.
        LOGGER.debug("{} could not be deleted", copy.name + NEW, e);
      }
    }
  }

  /** Returns the sequence of the last durable commit. */
  long sequence() {
    return sequence;
  }

  @Override
  public void close() {
    copies.forEach(JournalFiles::close);
  }

  /** Closes a copy. Durable data has been forced: a failure to close loses nothing. */
  private static void close(Copy copy) {
    try {
      copy.file.close();
    } catch (IOException e) {
      LOGGER.debug("{} could not be closed", copy.name, e);
    }
  }
}
