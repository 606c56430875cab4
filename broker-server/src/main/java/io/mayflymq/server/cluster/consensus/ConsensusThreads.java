package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.PeriodicWork;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The threads of the consensus. Any thread may call.
 *
 * <p>The threads of ours that the consensus needs. Those of Ratis it creates itself
 * (docs/threading.md).
 *
 * <p>Messages of the protocol may wait for the disk, and for each other: a vote for the entries
 * before it. So they have several threads. Proposals have one, so that they keep their order.
 */
final class ConsensusThreads implements AutoCloseable {
  private static final int MESSAGE_THREADS = 4;
  private static final long PATIENCE_SECONDS = 5;

  private final BrokerThreads threads;
  private final ExecutorService messages;
  private final ExecutorService proposals;
  private final PeriodicWork timer;

  ConsensusThreads(BrokerThreads threads) {
    this.threads = threads;
    messages = threads.essentialPool("consensus-messages", MESSAGE_THREADS);
    proposals = threads.essentialPool("consensus-proposals", 1);
    timer = threads.periodic("consensus-timer");
  }

  Faults faults() {
    return threads.faults();
  }

  /** Answers a message of the protocol; the work may block. */
  <T> CompletableFuture<T> message(Supplier<CompletableFuture<T>> work) {
    return on(messages, work);
  }

  /** Works on a proposal, behind those before it. */
  <T> CompletableFuture<T> proposal(Supplier<CompletableFuture<T>> work) {
    return on(proposals, work);
  }

  /** Does work once, after a delay in ms; not if this is closed before. */
  void after(String what, long millis, Runnable work) {
    timer.after(what, millis, work);
  }

  /** Tells listeners, in order. */
  void tell(Runnable work) {
    timer.soon("a listener of the consensus", work);
  }

  /** Does work that takes long, on a thread of its own, which is returned. */
  Thread alone(String name, Runnable work) {
    Thread thread = threads.auxiliary(name, work);
    thread.start();
    return thread;
  }

  private static <T> CompletableFuture<T> on(
      ExecutorService pool, Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    try {
      pool.execute(() -> run(work, done));
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(Failures.stopped(false));
    }
    return done;
  }

  private static <T> void run(Supplier<CompletableFuture<T>> work, CompletableFuture<T> done) {
    try {
      work.get()
          .whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  done.complete(result);
                } else {
                  done.completeExceptionally(Causes.of(failure));
                }
              });
    } catch (Throwable e) {
      if (Faults.isFatal(e)) {
        throw e;
      }
      done.completeExceptionally(Causes.of(e));
    }
  }

  /** Ends all threads; waits for those that are at work. */
  @Override
  public void close() {
    timer.close();
    proposals.shutdown();
    messages.shutdown();
    try {
      if (!messages.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        messages.shutdownNow();
      }
      if (!proposals.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        proposals.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
