package io.mayflymq.server.management;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.protocol.types.AmqpException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the broker; only threads of the management API may. */
final class Answers {
  private static final long PATIENCE_SECONDS = 60;

  private Answers() {}

  /**
   * The value of a future.
   *
   * @throws ApiException the broker's refusal, as RabbitMQ's management tells it; 503 if it does
   *     not answer in time
   */
  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
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
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ApiException(503, "timeout", "no answer within " + PATIENCE_SECONDS + " seconds");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "unavailable", "the broker is stopping");
    }
  }
}
