package io.mayflymq.server.connection;

import io.mayflymq.protocol.types.AmqpException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The reply to a method whose work goes on elsewhere. What the method brought about may be known
 * before the reply is: a consumer is cancelled because its queue is being deleted. Clients are told
 * in RabbitMQ's order, whose channels do one thing after the other: first the reply, then the rest.
 * Belongs to the connection's loop.
 */
final class DecodeSuspension {
  private final Deque<Runnable> waiting = new ArrayDeque<>(0);
  private boolean awaited;

  /** Gives what a finished future has to the one who waits, or throws its error. */
  static <T> void give(CompletableFuture<T> future, Consumer<T> then) {
    T value;
    try {
      value = future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AmqpException cause) {
        throw cause;
      }
      throw e;
    }
    then.accept(value);
  }

  boolean isAwaited() {
    return awaited;
  }

  void begin() {
    awaited = true;
  }

  void end() {
    awaited = false;
  }

  /** Does something at once, or behind the reply if one is awaited. */
  void doAfter(Runnable action) {
    if (awaited) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /** Does what waits, in order, as long as the next reply is not awaited. */
  void doWhatWaits() {
    while (!awaited && !waiting.isEmpty()) {
      waiting.remove().run();
    }
  }
}
