package io.mayflymq.server.auth;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The questions to a service that have no answer yet. An equal one waits for the same answer, and
 * each is answered in time, or has failed. Any thread may call.
 */
public final class OpenQuestions {
  /** The answer to all that is asked while the broker stops. */
  public static final Answer STOPPING = Answer.failed("the broker is stopping");

  private final Map<Question, CompletableFuture<Answer>> open = new ConcurrentHashMap<>();
  private final int timeoutMillis;
  private final int graceMillis;
  private volatile boolean closed;

  /**
   * @param timeoutMillis the time for an answer that a question tells when it fails, in ms
   * @param graceMillis how much later it fails, in ms
   */
  public OpenQuestions(int timeoutMillis, int graceMillis) {
    this.timeoutMillis = timeoutMillis;
    this.graceMillis = graceMillis;
  }

  /**
   * Asks a question, unless an equal one is open.
   *
   * @param begin has the answer completed, on any thread; not called while the broker stops
   * @return the answer
   */
  public CompletableFuture<Answer> ask(
      Question question, Consumer<CompletableFuture<Answer>> begin) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    CompletableFuture<Answer> same = open.putIfAbsent(question, answer);
    if (same != null) {
      return same;
    }
    answer
        .completeOnTimeout(
            Answer.failed("no answer within %d ms".formatted(timeoutMillis)),
            (long) timeoutMillis + graceMillis,
            TimeUnit.MILLISECONDS)
        .whenComplete((done, error) -> open.remove(question, answer));
    if (closed) {
      answer.complete(STOPPING);
    } else {
      begin.accept(answer);
    }
    return answer;
  }

  /** The broker stops: all that is open fails, as does all that is asked from now on. */
  public void close() {
    closed = true;
    open.values().forEach(answer -> answer.complete(STOPPING));
  }
}
