package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Faults;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Hands committed entries to the applier, once each. Any thread may call.
 *
 * <p>Hands committed entries to the applier, and knows up to where they are durable.
 *
 * <p>The thread of Ratis that applies does not wait for the disk, unless too much is on its way.
 * State that is fetched from the leader takes the place of entries: it is fetched when those on
 * their way are durable, and entries that it contains are left out afterwards.
 */
final class AppliedEntries {
  private static final int MOST_PENDING = 4_096;
  private static final long MOST_PENDING_BYTES = 16 << 20;
  private static final String WHAT = "applying an entry of the cluster's log";

  private final EntryApplier applier;
  private final Faults faults;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private long pendingBytes;
  private LogPosition last;
  private LogPosition durable;
  private boolean fetching;
  private boolean closed;

  private record Pending(LogPosition position, int bytes, CompletableFuture<Void> applied) {}

  /**
   * Creates an instance.
   *
   * @param before the position of what is durable; null for nothing
   */
  AppliedEntries(EntryApplier applier, LogPosition before, Faults faults) {
    this.applier = applier;
    this.faults = faults;
    durable = before;
    last = before;
  }

  /** Returns the last position up to which everything is durable; null for none. */
  synchronized LogPosition durable() {
    return durable;
  }

  /** Applies an entry. Called by one thread, in order. */
  void apply(LogPosition position, byte[] entry) {
    if (!admit(position, entry)) {
      return;
    }
    CompletableFuture<Void> applied = applied(position, entry);
    synchronized (this) {
      pending.add(new Pending(position, entry.length, applied));
      pendingBytes += entry.length;
    }
    applied.whenComplete((nothing, failure) -> settle(position, failure));
  }

  private CompletableFuture<Void> applied(LogPosition position, byte[] entry) {
    try {
      return applier.apply(position, entry);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized boolean admit(LogPosition position, byte[] entry) {
    try {
      while (!closed && (fetching || isFull(entry.length))) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
    if (closed || (last != null && position.index() <= last.index())) {
      return false;
    }
    last = position;
    return true;
  }

  private boolean isFull(int bytes) {
    return !pending.isEmpty()
        && (pending.size() >= MOST_PENDING || pendingBytes + bytes > MOST_PENDING_BYTES);
  }

  private void settle(LogPosition position, Throwable failure) {
    if (failure != null) {
      faults.fatal(WHAT + " at " + position, Causes.of(failure));
      return;
    }
    synchronized (this) {
      while (!pending.isEmpty() && pending.peek().applied().isDone()) {
        Pending first = pending.remove();
        pendingBytes -= first.bytes();
        durable = first.position();
      }
      notifyAll();
    }
  }

  /**
   * Replaces the state by the leader's. Waits for it.
   *
   * @return the position of the state; null if the leader has applied nothing
   * @throws ExecutionException if the applier failed
   */
  LogPosition fetch(String leader) throws ExecutionException, InterruptedException {
    synchronized (this) {
      while (!closed && (fetching || !pending.isEmpty())) {
        wait();
      }
      if (closed) {
        return null;
      }
      fetching = true;
    }
    LogPosition fetched = null;
    try {
      fetched = applier.fetchState(leader).get();
      return fetched;
    } finally {
      fetched(fetched);
    }
  }

  private synchronized void fetched(LogPosition position) {
    fetching = false;
    if (position != null) {
      last = position;
      durable = position;
    }
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Applies nothing from now on. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
