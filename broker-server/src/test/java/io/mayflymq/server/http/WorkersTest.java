package io.mayflymq.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that wait for a part that does not answer, and requests beside them. */
class WorkersTest {
  private static final long LONG_MILLIS = 60_000;

  private final CompletableFuture<String> stuck = new CompletableFuture<>();
  private final Workers workers = new Workers(limits(2, 3), work -> daemon(work));

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "worker");
    thread.setDaemon(true);
    return thread;
  }

  private static HttpLimits limits(int workers, int aside) {
    return new HttpLimits(9, 9, 9, 9, 9, 9, 100, workers, aside, 9, 9, 9);
  }

  @AfterEach
  void close() {
    stuck.complete("late");
    workers.close();
  }

  /** The answer of a request that waits for this future. */
  private CompletableFuture<String> ask(CompletableFuture<String> future) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    workers.begin(
        () -> {
          try {
            answer.complete(Workers.await(future, LONG_MILLIS));
          } catch (Exception e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  @Test
  void waitingRequestsDoNotUseUpTheWorkers() throws Exception {
    CompletableFuture<String> first = ask(stuck);
    ask(stuck);
    ask(stuck);
    assertThat(soon(ask(CompletableFuture.completedFuture("now")))).isEqualTo("now");
    assertThat(first).isNotDone();
    stuck.complete("late");
    assertThat(soon(first)).isEqualTo("late");
  }

  @Test
  void waitingRequestsAboveTheLimitAreRefused() {
    // Which of them comes too late is not said.
    CompletableFuture<Object> refused =
        CompletableFuture.anyOf(ask(stuck), ask(stuck), ask(stuck), ask(stuck));
    assertThatThrownBy(() -> soon(refused)).hasCauseInstanceOf(Workers.TooManyWaitException.class);
  }

  @Test
  void concurrentRequestsAreAtMostTheNumberOfWorkers() throws Exception {
    CompletableFuture<String> waits = ask(stuck);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      workers.begin(
          () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
              go.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            running.decrementAndGet();
            done.countDown();
          });
    }
    stuck.complete("late");
    go.countDown();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(soon(waits)).isEqualTo("late");
    assertThat(most.get()).isLessThanOrEqualTo(2);
  }

  @Test
  void waitForAResponseEndsAfterItsTimeout() {
    assertThatThrownBy(() -> Workers.await(stuck, 1)).isInstanceOf(TimeoutException.class);
  }

  @Test
  void requestsAboveTheQueueLimitAreRefused() {
    Workers few = new Workers(new HttpLimits(9, 9, 9, 9, 9, 9, 1, 1, 1, 9, 9, 9), this::never);
    assertThat(few.begin(() -> {})).isTrue();
    assertThat(few.begin(() -> {})).isTrue();
    assertThat(few.begin(() -> {})).isFalse();
    few.close();
  }

  private Thread never(Runnable work) {
    return daemon(stuck::join);
  }
}
