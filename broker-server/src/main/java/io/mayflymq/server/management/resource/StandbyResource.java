package io.mayflymq.server.management.resource;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.BinaryBody;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.standby.PrimaryExport;
import io.mayflymq.server.standby.Standby;
import io.mayflymq.server.standby.StandbyStatus;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The broker as a standby, and what it gives to its own standby: that is for administrators, as it
 * is all messages, and not in JSON.
 */
public final class StandbyResource {
  /** A last round may copy much. */
  private static final long PATIENCE_SECONDS = 300;

  private final ManagedBroker managed;

  public StandbyResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("standby", this::status)
        .post("standby", this::promote)
        .get("standby/queues", this::queues)
        .get("standby/queues/{vhost}/{queue}", this::messages);
  }

  private Response status(Request request) {
    request.principal().requireMonitor();
    return Response.ok(
        managed
            .standby()
            .map(standby -> object(standby.status()))
            .orElseGet(() -> Json.object("state", "none")));
  }

  private static Map<String, Object> object(StandbyStatus status) {
    return Json.object(
        "state", status.state().wireName(),
        "primaries", status.primaries(),
        "since", known(status.sinceMillis()),
        "last_complete_round", known(status.completeMillis()),
        "lag_seconds", status.lagMillis() < 0 ? null : (Double) (status.lagMillis() / 1000.0),
        "lag_messages", status.lagMessages(),
        "messages", status.messages(),
        "bytes", status.bytes(),
        "copied_messages", status.copiedMessages(),
        "copied_bytes", status.copiedBytes(),
        "complete_rounds", status.rounds(),
        "failed_rounds", status.failures(),
        "last_failure", status.failure().isEmpty() ? null : status.failure(),
        "last_failure_at", known(status.failedMillis()),
        "moved_messages", status.moved());
  }

  private static Long known(long millis) {
    return millis == 0 ? null : (Long) millis;
  }

  private Response promote(Request request) {
    request.principal().requireAdministrator();
    Standby standby =
        managed
            .standby()
            .orElseThrow(
                () ->
                    ApiException.badRequest(
                        "this broker is no standby: key 'standby.primary.uri' is not set"));
    boolean force = request.body().fields().namedBool("force");
    try {
      standby.promote(force).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Standby.RefusedException refused) {
        throw ApiException.badRequest(refused.getMessage());
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ApiException(
          503, "timeout", "the promotion has not begun yet; GET /api/standby tells when it has");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "unavailable", "the broker is stopping");
    }
    return Response.ok(object(standby.status()));
  }

  private Response queues(Request request) {
    request.principal().requireAdministrator();
    return Response.ok(new BinaryBody(Futures.await(managed.export().state())));
  }

  private Response messages(Request request) {
    request.principal().requireAdministrator();
    try {
      Optional<byte[]> slice =
          Futures.await(
              managed
                  .export()
                  .slice(
                      request.parameter("vhost"),
                      request.parameter("queue"),
                      (int) request.number("part", 0, 0, Byte.MAX_VALUE),
                      request.number("after", -1, -1, Long.MAX_VALUE),
                      request.number("bytes", 1 << 20, 1, PrimaryExport.MOST_BYTES),
                      request.flag("present"),
                      request.number("since", Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE)));
      return slice.map(bytes -> Response.ok(new BinaryBody(bytes))).orElseGet(Response::noContent);
    } catch (ByteFormatException e) {
      throw ApiException.badRequest(e.getMessage());
    }
  }
}
