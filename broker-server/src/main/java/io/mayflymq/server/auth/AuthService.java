package io.mayflymq.server.auth;

import java.util.concurrent.CompletableFuture;

/** A service that knows users and what they may do. Any thread may call. */
public interface AuthService extends AutoCloseable {
  /**
   * Asks it.
   *
   * @return never fails, and is done within a limited time, on any thread
   */
  CompletableFuture<Answer> ask(Question question);

  /** Asks no more. */
  @Override
  default void close() {}
}
