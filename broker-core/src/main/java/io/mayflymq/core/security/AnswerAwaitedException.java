package io.mayflymq.core.security;

import java.util.concurrent.CompletableFuture;

/**
 * It is not known yet whether something is allowed: a service was asked, and its answer is on its
 * way. The caller waits for the answer, without blocking a thread, and then repeats the command
 * that needs it. It is no error, so it has no stack trace.
 */
public final class AnswerAwaitedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient CompletableFuture<?> answer;

  /**
   * Creates one.
   *
   * @param answer done when the check can be repeated; never fails
   */
  public AnswerAwaitedException(CompletableFuture<?> answer) {
    super("the answer is on its way", null, false, false);
    this.answer = answer;
  }

  /** Returns what is done when the check can be repeated; it never fails. */
  public CompletableFuture<?> answer() {
    return answer;
  }
}
