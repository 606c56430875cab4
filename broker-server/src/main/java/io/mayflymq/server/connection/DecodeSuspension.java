package io.mayflymq.server.connection;

import io.mayflymq.protocol.types.AmqpException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Suspends decoding while the reply to a method is awaited from another shard. Side effects of the
 * method may be known before its reply: a consumer is cancelled because its queue is being deleted.
 * They are sent in RabbitMQ's order: first the reply, then the side effects. Used on the
 * connection's loop only.
 */
final class DecodeSuspension {
  private final Deque<Runnable> waiting = new ArrayDeque<>(0);
  private boolean awaited;

  /** Passes the value of a finished future on, or throws its error. */
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

  /** Runs an action at once, or after the reply if one is awaited. */
  void doAfter(Runnable action) {
    if (awaited) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /** Runs the actions that wait, in order, until one of them awaits a reply. */
  void doWhatWaits() {
    while (!awaited && !waiting.isEmpty()) {
      waiting.remove().run();
    }
  }
}
