package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Answers requests one at a time, in the order of their arrival. Any thread may call.
 *
 * <p>A leader that gets no answer in time sends a heartbeat, and after its answer the entries
 * again, with those since. A follower that stood still finds the first request and the heartbeat
 * together, so the entries arrive again while it still forces the first ones. Ratis lets appends
 * overlap, takes the second request for the first one, and confirms entries that its log does not
 * have. An append of an old leader may also reach the log after one of the new leader that was
 * accepted later. So an append begins when the one before has ended, durably.
 *
 * <p>One request waits at most. The leader whose request is replaced gets an error, and sends
 * again.
 */
final class SerialAnswers {
  private final Worker worker;
  private boolean busy;
  private Waiting next;

  private record Waiting(
      Supplier<CompletableFuture<byte[]>> work, CompletableFuture<byte[]> answer) {
    void replaced() {
      answer.completeExceptionally(
          new IOException("the request before is not done, and a later one has arrived"));
    }
  }

  /** Does work on a thread that may block. */
  @FunctionalInterface
  public interface Worker {
    CompletableFuture<byte[]> begin(Supplier<CompletableFuture<byte[]>> work);
  }

  public SerialAnswers(Worker worker) {
    this.worker = worker;
  }

  /**
   * Answers a request when the one before has been answered. Does not block.
   *
   * @return the answer; fails if a later request arrives before this one's turn
   */
  public CompletableFuture<byte[]> answer(Supplier<CompletableFuture<byte[]>> work) {
    Waiting added = new Waiting(work, new CompletableFuture<>());
    Waiting replaced;
    boolean first;
    synchronized (this) {
      first = !busy;
      busy = true;
      replaced = next;
      next = first ? null : added;
    }
    if (replaced != null) {
      replaced.replaced();
    }
    if (first) {
      begin(added);
    }
    return added.answer();
  }

  private void begin(Waiting begun) {
    worker
        .begin(begun.work())
        .whenComplete(
            (answer, failure) -> {
              Waiting following = following();
              if (following != null) {
                begin(following);
              }
              if (failure == null) {
                begun.answer().complete(answer);
              } else {
                begun.answer().completeExceptionally(failure);
              }
            });
  }

  private synchronized Waiting following() {
    Waiting following = next;
    next = null;
    busy = following != null;
    return following;
  }
}
