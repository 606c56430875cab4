package io.mayflymq.core.cluster;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/*
 * The metadata log of a node in a cluster: each change is written with its position in the replicated log, as a unit, so that after a restart the node
 * goes on behind the last change that it has.
 *
 * A change that has been agreed upon cannot be refused here because the disk is full: the node would be another one than the others. So a write that
 * fails is repeated, with all that were to follow it, until it succeeds. Meanwhile this node carries out no change; it goes on serving what it has.
 */
/** Writes changes with their positions. Any thread may call. */
public final class PositionedLog implements MetadataLog {
  /** Runs a task later. */
  @FunctionalInterface
  public interface Later {
    /** Runs it on any thread, after some time. */
    void run(Runnable task);
  }

  private static final class Write {
    final List<MetadataCommand> commands;
    final CompletableFuture<Void> safe = new CompletableFuture<>();

    /** What the log said when it was handed over; null while a repetition waits. */
    CompletableFuture<Void> handed;

    Write(List<MetadataCommand> commands) {
      this.commands = commands;
    }
  }

  private final MetadataLog log;
  private final Later later;

  /** What is not safe yet, in order. */
  private final Deque<Write> writes = new ArrayDeque<>();

  private boolean repeats;
  private Applied position;
  private volatile Applied durable;

  /**
   * Creates a log.
   *
   * @param log where it writes
   * @param later repeats writes
   * @param kept the position of what the log has; null if it has none
   */
  public PositionedLog(MetadataLog log, Later later, Applied kept) {
    this.log = log;
    this.later = later;
    this.durable = kept;
  }

  /** The next write completes the effect of the log up to this position. */
  synchronized void nextCompletes(Applied completed) {
    position = completed;
  }

  /** Returns the position up to which everything is durable; null if that is none. */
  public Applied durable() {
    return durable;
  }

  @Override
  public List<MetadataCommand> recover() {
    return log.recover();
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    List<MetadataCommand> unit = new ArrayList<>(commands);
    synchronized (this) {
      if (position != null) {
        unit.add(position);
        position = null;
      }
      Write write = new Write(unit);
      writes.addLast(write);
      if (!repeats) {
        handOver(write);
      }
      return write.safe;
    }
  }

  /** With the lock held. */
  private void handOver(Write write) {
    CompletableFuture<Void> handed = log.append(write.commands);
    write.handed = handed;
    handed.whenComplete((done, failure) -> written(write, handed, failure));
  }

  private void written(Write write, CompletableFuture<Void> handed, Throwable failure) {
    List<CompletableFuture<Void>> withdrawn = new ArrayList<>();
    synchronized (this) {
      if (write.handed != handed) {
        return; // It was withdrawn, and is repeated.
      }
      if (failure == null) {
        writes.removeFirst();
        note(write);
      } else {
        repeats = true;
        for (Write each : writes) {
          withdrawn.add(each.handed);
          each.handed = null;
        }
        later.run(this::repeat);
      }
    }
    withdrawn.forEach(each -> each.completeExceptionally(failure));
    if (failure == null) {
      write.safe.complete(null);
    }
  }

  private void note(Write write) {
    MetadataCommand last = write.commands.get(write.commands.size() - 1);
    if (last instanceof Applied applied) {
      durable = applied;
    }
  }

  private synchronized void repeat() {
    repeats = false;
    for (Write write : List.copyOf(writes)) {
      if (!repeats) {
        handOver(write);
      }
    }
  }

  @Override
  public String failure() {
    return log.failure();
  }

  @Override
  public void close() {
    log.close();
  }
}
