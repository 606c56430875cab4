package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.http.Workers;
import io.mayflymq.server.management.api.ApiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Waits for the broker; only threads of the management API may. */
public final class Futures {
  private static final long PATIENCE_MILLIS = 60_000;

  private Futures() {}

  /**
   * Returns the value of a future.
   *
   * @throws ApiException the broker's refusal, as RabbitMQ's management tells it; 503 if it does
   *     not answer in time, or too many requests wait already
   * @throws AnswerAwaitedException if a service was asked meanwhile: the caller awaits its answer
   *     and repeats what it does
   */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return Workers.await(future, PATIENCE_MILLIS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AmqpException refused) {
        throw ApiException.of(refused);
      }
      if (e.getCause() instanceof AdministrationException refused) {
        throw ApiException.of(refused);
      }
      if (e.getCause() instanceof ApiException refused) {
        throw refused;
      }
      if (e.getCause() instanceof AnswerAwaitedException awaited) {
        throw awaited;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ApiException(
          503, "timeout", "no answer within " + PATIENCE_MILLIS / 1000 + " seconds");
    } catch (Workers.TooManyWaitException e) {
      throw new ApiException(
          503, "overloaded", "a part of the broker does not answer, and many requests wait for it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "unavailable", "the broker is stopping");
    }
  }
}
