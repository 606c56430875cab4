package io.mayflymq.core.metadata;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A metadata log that keeps all kinds of commands, in the encoded form of the journal, and writes
 * when it is told to.
 */
public final class LiveMetadataLog implements MetadataLog {
  private record Pending(List<JournalEntry> entries, CompletableFuture<Void> safe) {}

  private final Deque<Pending> pending = new ArrayDeque<>();
  private final LiveEntries live = new LiveEntries();
  private boolean writesAtOnce = true;

  /** Whether what is appended is safe at once, or after {@link #write}. */
  public void writeAtOnce(boolean atOnce) {
    writesAtOnce = atOnce;
  }

  @Override
  public List<MetadataCommand> recover() {
    return live.commands();
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    Pending added =
        new Pending(commands.stream().map(JournalEntry::of).toList(), new CompletableFuture<>());
    pending.addLast(added);
    if (writesAtOnce) {
      write();
    }
    return added.safe;
  }

  /** Makes safe what was appended. @return whether there was anything */
  public boolean write() {
    boolean any = false;
    while (!pending.isEmpty()) {
      any = true;
      Pending next = pending.removeFirst();
      if (!next.safe.isDone()) { // Else it was withdrawn.
        next.entries.forEach(this::apply);
        next.safe.complete(null);
      }
    }
    return any;
  }

  private void apply(JournalEntry entry) {
    live.apply(JournalEntry.decode(ByteBuffer.wrap(entry.encode())));
  }

  /** The disk is full: what was appended fails. */
  public void fail() {
    List<Pending> failed = new ArrayList<>(pending);
    pending.clear();
    ConnectionException full = new ConnectionException(ReplyCode.INTERNAL_ERROR, "disk full");
    failed.forEach(each -> each.safe.completeExceptionally(full));
  }

  /** Returns what there is after a crash: some of what waited may have been written. */
  public LiveMetadataLog afterCrash(Random random) {
    LiveMetadataLog after = new LiveMetadataLog();
    live.commands().forEach(command -> after.live.apply(JournalEntry.of(command)));
    pending.stream()
        .limit(random.nextInt(pending.size() + 1))
        .forEach(each -> each.entries.forEach(after::apply));
    return after;
  }

  @Override
  public String failure() {
    return null;
  }

  @Override
  public void close() {}
}
