package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Writes changes with their positions. Any thread may call.
 *
 * <p>The metadata log of a node in a cluster: each change is written with its position in the
 * replicated log, as a unit, so that after a restart the node goes on behind the last change that
 * it has.
 *
 * <p>A change that has been agreed upon is durable: it is in the replicated log of a majority of
 * the nodes, and in that of this node before it is carried out here. That log keeps it until it is
 * safe here (settled), and after a crash it is carried out again. So most changes need not wait for
 * a second force, that of this node's own metadata. Three kinds do, as other files of this node
 * refer to them:
 *
 * <ul>
 *   <li>a durable queue of this node, or a replicated one, of which it may have a replica: messages
 *       of a queue that metadata do not have would be removed at the start, before the change is
 *       carried out again;
 *   <li>the begin of a queue's move: both nodes have to know of it when they start, or one would
 *       serve what is at the other by then;
 *   <li>the end of a queue or virtual host, whose messages are deleted when it is in force, and
 *       members, as what they are decides how a node starts.
 * </ul>
 *
 * <p>A change that has been agreed upon cannot be refused here because the disk is full: the node
 * would be another one than the others. So a write that fails is repeated, with all that were to
 * follow it, until it succeeds. Meanwhile this node carries out no change, so that it does not get
 * far ahead of what it would start with, and goes on serving what it has.
 */
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
  private final int member;

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
   * @param member the number of this node
   * @param kept the position of what the log has; null if it has none
   */
  public PositionedLog(MetadataLog log, Later later, int member, Applied kept) {
    this.log = log;
    this.later = later;
    this.member = member;
    this.durable = kept;
  }

  /** Returns the position that kept metadata have; null if that is none. */
  public static Applied position(List<MetadataCommand> kept) {
    return kept.stream()
        .filter(Applied.class::isInstance)
        .map(Applied.class::cast)
        .findFirst()
        .orElse(null);
  }

  /** The next write completes the effect of the log up to this position. */
  synchronized void nextCompletes(Applied completed) {
    position = completed;
  }

  /** Returns the position up to which everything is durable; null if that is none. */
  public Applied durable() {
    return durable;
  }

  /** Returns what is done when all that was appended so far is durable. */
  synchronized CompletableFuture<Void> settled() {
    Write last = writes.peekLast();
    return last == null ? CompletableFuture.completedFuture(null) : last.safe.copy();
  }

  @Override
  public List<MetadataCommand> recover() {
    return log.recover();
  }

  /**
   * Writes commands as a unit.
   *
   * @return done when they may be in force: at once, or when they are safe
   */
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
      return repeats || commands.stream().anyMatch(this::waitsForDisk)
          ? write.safe
          : CompletableFuture.completedFuture(null);
    }
  }

  private boolean waitsForDisk(MetadataCommand command) {
    return command instanceof QueueDeleted
        || command instanceof QueueForgotten
        || command instanceof VhostDeclared
        || command instanceof VhostDeleted
        || command instanceof MemberSet
        || command instanceof QueueMoving
        || (command instanceof QueueDeclared declared
            && declared.queue().durable()
            && (declared.place().isReplicated() || declared.place().member() == member));
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
