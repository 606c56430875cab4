package io.mayflymq.core.metadata;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metadata as a journal of changes, in two checked copies (see JournalContents).
 *
 * <p>One thread writes. It takes all commands that have accumulated while it was busy, writes them
 * as one commit, forces each copy once, and then reports all of them as durable: a burst of
 * declarations from many connections costs one force of each copy.
 */
public final class MetadataJournal implements MetadataLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(MetadataJournal.class);
  private static final int COPY_BYTES = 1 << 18;

  private final JournalFiles files;
  private final UUID directoryId;
  private final Thread writer;
  private final Consumer<String> health;
  private final Object lock = new Object();
  private List<Pending> pending = new ArrayList<>();

  /** Whether the writer has taken entries that it is not done with. */
  private boolean writing;

  private boolean closed;
  private volatile String failure;
  private volatile long sequence;

  /** Null after they have been returned. */
  private LiveEntries recovered;

  /** The latest result of {@link #health}. */
  private String unhealthy;

  /**
   * What waits for the thread that writes.
   *
   * @param asked is given everything that is durable then; null if it is not asked for
   */
  private record Pending(
      List<JournalEntry> entries,
      CompletableFuture<Void> safe,
      CompletableFuture<LiveEntries> asked) {}

  /**
   * What other files say about the metadata.
   *
   * @param directory the id of the data directory according to the message logs; null if they have
   *     none
   * @param seen the highest sequence number of metadata that a message log has seen; 0 if none
   * @param acceptsLoss whether to continue with the rest if a part is lost
   * @param adoption returns objects to declare in addition to the remaining ones, if any: they are
   *     part of the first change that follows the loss, so no crash can happen in between
   */
  public record Expected(
      UUID directory,
      long seen,
      boolean acceptsLoss,
      UnaryOperator<List<MetadataCommand>> adoption) {
    /** Nothing is known. */
    public static final Expected NOTHING = new Expected(null, 0, false);

    /** Nothing has to be declared anew. */
    public Expected(UUID directory, long seen, boolean acceptsLoss) {
      this(directory, seen, acceptsLoss, kept -> List.of());
    }
  }

  private MetadataJournal(
      JournalFiles files,
      JournalContents contents,
      UUID directoryId,
      BrokerThreads threads,
      Consumer<String> health) {
    this.files = files;
    this.directoryId = directoryId;
    this.recovered = contents.entries();
    this.sequence = files.sequence();
    this.health = health;
    this.writer = threads.essential("metadata", this::writeUntilClosed);
  }

  /**
   * Opens the journal of a data directory, or creates it. A copy that is damaged is repaired from
   * the other one.
   *
   * @param threads makes the one that writes
   * @param health is given the reason when a change could not be written, and null when the next
   *     one could; called by the thread that writes
   * @throws MetadataException if it cannot be read or written; or if a part is lost and that is not
   *     accepted, and then nothing has been changed
   */
  public static MetadataJournal open(
      Path directory, Expected expected, BrokerThreads threads, Consumer<String> health) {
    return open(directory, new FileGate(), expected, threads, health);
  }

  /**
   * The same for a data directory of which backups are taken.
   *
   * @param gate through which all changes of files pass
   */
  public static MetadataJournal open(
      Path directory,
      FileGate gate,
      Expected expected,
      BrokerThreads threads,
      Consumer<String> health) {
    try {
      return open(directory, new DiskDirectory(directory, gate), expected, threads, health);
    } catch (IOException e) {
      throw new MetadataException("cannot use metadata in " + directory + ": " + e.getMessage(), e);
    }
  }

  static MetadataJournal open(
      Path path,
      LogDirectory directory,
      Expected expected,
      BrokerThreads threads,
      Consumer<String> health)
      throws IOException {
    JournalContents contents = JournalContents.read(directory, expected.directory);
    long sequence = 0;
    if (contents.exist()) {
      sequence = sequenceToGoOnFrom(contents, path, directory, expected);
    } else {
      if (contents.hasOldLayout() && !expected.acceptsLoss) {
        throw new MetadataException(
            "%s in %s %s".formatted(JournalContents.OLD_NAME, path, JournalContents.OLD_LAYOUT),
            null);
      }
      // Where the messages have seen metadata, no sequence number is given out twice either.
      sequence = expected.seen > 0 ? expected.seen + 1 : 0;
    }
    if (expected.acceptsLoss && adopt(contents.entries(), expected.adoption)) {
      sequence = Math.max(sequence, contents.sequence() + 1);
    }
    UUID known = expected.directory == null ? contents.directory() : expected.directory;
    UUID id = known == null ? UUID.randomUUID() : known;
    JournalFiles files = JournalFiles.open(directory, id, contents, sequence);
    MetadataJournal journal = new MetadataJournal(files, contents, id, threads, health);
    journal.writer.start();
    return journal;
  }

  /** Declares what has to be declared again. @return whether there was anything */
  private static boolean adopt(LiveEntries entries, UnaryOperator<List<MetadataCommand>> adoption) {
    List<MetadataCommand> adopted = adoption.apply(entries.commands());
    adopted.forEach(command -> entries.apply(JournalEntry.of(command)));
    return !adopted.isEmpty();
  }

  private static long sequenceToGoOnFrom(
      JournalContents contents, Path path, LogDirectory directory, Expected expected)
      throws IOException {
    String lost = whatIsLost(contents, expected.seen);
    if (lost == null) {
      return contents.sequence();
    }
    if (!expected.acceptsLoss) {
      throw new MetadataException(MetadataCheck.FILES + " in " + path + " " + lost, null);
    }
    copyAside(directory);
    // No sequence number is given out twice.
    return Math.max(contents.last(), expected.seen) + 1;
  }

  /**
   * Deletes the metadata of a data directory that no broker uses, if there are any.
   *
   * @throws IOException if a file cannot be deleted
   */
  public static void delete(Path directory) throws IOException {
    for (String name : JournalContents.NAMES) {
      Files.deleteIfExists(directory.resolve(name));
    }
    Files.deleteIfExists(directory.resolve(JournalContents.OLD_NAME));
  }

  /** Returns whether a directory has metadata of any version. */
  public static boolean exists(Path directory) {
    return Files.exists(directory.resolve(JournalContents.OLD_NAME))
        || JournalContents.NAMES.stream().anyMatch(name -> Files.exists(directory.resolve(name)));
  }

  private static String whatIsLost(JournalContents contents, long seen) {
    if (!contents.faults().isEmpty()) {
      return String.join("; ", contents.faults());
    }
    return contents.sequence() < seen ? "are older than the messages" : null;
  }

  /** Copies files that cannot be used: the originals remain until new files replace them. */
  private static void copyAside(LogDirectory directory) throws IOException {
    List<String> present = directory.list();
    String suffix = ".aside-" + Instant.now().toString().replace(":", "");
    for (String name : JournalContents.NAMES) {
      if (present.contains(name)) {
        copy(directory, name, name + suffix);
        LOGGER.warn("{} is kept as {}", name, name + suffix);
      }
    }
    directory.force();
  }

  private static void copy(LogDirectory directory, String from, String to) throws IOException {
    try (LogFile source = directory.open(from, false);
        LogFile target = directory.create(to)) {
      ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
      long at = 0;
      while (source.read(buffer, at) > 0) {
        int bytes = buffer.flip().remaining();
        target.write(buffer, at);
        at += bytes;
        buffer.clear();
      }
      target.force();
    }
  }

  @Override
  public List<MetadataCommand> recover() {
    try {
      List<MetadataCommand> commands = recovered.commands();
      recovered = null;
      return commands;
    } catch (RuntimeException e) {
      throw new MetadataException("cannot read metadata: " + e.getMessage(), e);
    }
  }

  /** The id of the data directory. */
  public UUID directory() {
    return directoryId;
  }

  /** The sequence number of the last commit that is durable. Any thread may ask. */
  public long sequence() {
    return sequence;
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    return add(commands.stream().map(JournalEntry::of).toList(), null);
  }

  /**
   * Returns everything that is durable, as commands that restore it. Any thread may call; it is
   * read from the files.
   *
   * @return fails with a {@link ConnectionException} 541 if they cannot be read
   */
  public CompletableFuture<List<MetadataCommand>> contents() {
    return liveEntries().thenApply(LiveEntries::commands);
  }

  /**
   * Replaces everything, as one change: after a crash it is as before or as after. Nothing else may
   * be appended meanwhile.
   *
   * @param commands what there is afterwards
   */
  public CompletableFuture<Void> replace(List<MetadataCommand> commands) {
    LiveEntries target = new LiveEntries();
    commands.forEach(command -> target.apply(JournalEntry.of(command)));
    return liveEntries().thenCompose(live -> add(live.changesTo(target), null));
  }

  private CompletableFuture<LiveEntries> liveEntries() {
    CompletableFuture<LiveEntries> asked = new CompletableFuture<>();
    return add(List.of(), asked).thenCompose(written -> asked);
  }

  private CompletableFuture<Void> add(
      List<JournalEntry> entries, CompletableFuture<LiveEntries> asked) {
    Pending journalEntry = new Pending(entries, new CompletableFuture<>(), asked);
    synchronized (lock) {
      if (closed) {
        journalEntry.safe.completeExceptionally(notKept("the broker is stopping"));
      } else if (failure != null) {
        journalEntry.safe.completeExceptionally(notKept(failure));
      } else {
        pending.add(journalEntry);
        lock.notifyAll();
      }
    }
    return journalEntry.safe;
  }

  /**
   * Returns whether all that was appended has been stored, or refused, and those who waited for it
   * have been told. Any thread may call.
   */
  public boolean isAtRest() {
    synchronized (lock) {
      return pending.isEmpty() && !writing;
    }
  }

  @Override
  public String failure() {
    return failure;
  }

  private void writeUntilClosed() {
    List<Pending> batch = take();
    while (!batch.isEmpty()) {
      write(batch);
      batch = take();
    }
  }

  /** Waits for commands; none are left once the log is closed. */
  private List<Pending> take() {
    synchronized (lock) {
      writing = false;
      while (pending.isEmpty() && !closed) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          // This thread is not interrupted; it ends when the journal is closed.
          LOGGER.debug("metadata writer interrupted", e);
        }
      }
      List<Pending> taken = pending;
      pending = new ArrayList<>();
      writing = true;
      return taken;
    }
  }

  private void write(List<Pending> batch) {
    String why = failure == null ? tryToWrite(batch) : failure;
    completeWaiting(why);
    if (why == null) {
      batch.forEach(journalEntry -> journalEntry.safe.complete(null));
      answer(batch.stream().map(Pending::asked).filter(Objects::nonNull).toList());
      compact();
    } else {
      ConnectionException error = notKept(why);
      batch.forEach(journalEntry -> journalEntry.safe.completeExceptionally(error));
    }
  }

  private void answer(List<CompletableFuture<LiveEntries>> asked) {
    if (asked.isEmpty()) {
      return;
    }
    try {
      LiveEntries live = files.contents();
      asked.forEach(each -> each.complete(live));
    } catch (IOException e) {
      ConnectionException error =
          new ConnectionException(
              ReplyCode.INTERNAL_ERROR, "metadata cannot be read: " + e.getMessage());
      asked.forEach(each -> each.completeExceptionally(error));
    }
  }

  private void completeWaiting(String why) {
    if (!Objects.equals(why, unhealthy)) {
      unhealthy = why;
      health.accept(why);
    }
  }

  /**
   * @return why it failed; null if it did not
   */
  private String tryToWrite(List<Pending> batch) {
    List<JournalEntry> entries = new ArrayList<>();
    batch.stream()
        .filter(each -> !each.safe.isDone())
        .forEach(each -> entries.addAll(each.entries));
    if (entries.isEmpty()) {
      return null;
    }
    try {
      files.write(entries);
    } catch (IOException e) {
      LOGGER.debug("metadata could not be written", e);
      return e.getMessage();
    }
    try {
      files.force();
      sequence = files.sequence();
      return null;
    } catch (IOException e) {
      return fail(e);
    }
  }

  private void compact() {
    if (!files.isCompactionDue()) {
      return;
    }
    try {
      String why = files.compact();
      if (why != null) {
        LOGGER.warn("metadata could not be compacted, and are as they were: {}", why);
      }
    } catch (IOException e) {
      completeWaiting(fail(e));
    }
  }

  private String fail(IOException e) {
    LOGGER.debug("metadata could not be forced", e);
    failure = "a force failed, the broker has to be started again: " + e.getMessage();
    return failure;
  }

  private static ConnectionException notKept(String why) {
    return new ConnectionException(
        ReplyCode.INTERNAL_ERROR, "the change could not be made durable: " + why);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    boolean interrupted = false;
    while (writer.isAlive()) {
      try {
        writer.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    files.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
