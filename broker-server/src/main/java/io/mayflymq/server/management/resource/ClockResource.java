package io.mayflymq.server.management.resource;

import io.mayflymq.core.runtime.SettableClock;
import io.mayflymq.server.clock.ManualTime;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body.Fields;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The clock that deadlines go by: read, and moved if it is one that is moved by hand. */
public final class ClockResource {
  private static final String ADVANCE = "advance_ms";
  private static final String TO = "to_ms";
  private static final String TO_NEXT = "to_next";
  private static final long LAST = SettableClock.LAST.toEpochMilli();

  private final ManagedBroker managed;

  public ClockResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter.get("clock", this::get).post("clock", this::move);
  }

  private Response get(Request request) {
    request.principal().requireMonitor();
    return Response.ok(
        managed
            .manualTime()
            .map(ClockResource::manual)
            .orElseGet(() -> json("real", System.currentTimeMillis())));
  }

  private Response move(Request request) {
    request.principal().requireAdministrator();
    ManualTime moved =
        managed
            .manualTime()
            .orElseThrow(
                () ->
                    ApiException.badRequest(
                        "the clock of this broker is that of the machine, and is not moved:"
                            + " expected a broker with clock = manual"));
    Futures.await(moved(moved, request.body().fields()));
    return Response.ok(manual(moved));
  }

  private static CompletableFuture<Long> moved(ManualTime time, Fields fields) {
    if (Stream.of(ADVANCE, TO, TO_NEXT).filter(fields::has).count() != 1) {
      throw ApiException.badRequest(
          "expected one of %s, %s and %s".formatted(ADVANCE, TO, TO_NEXT));
    }
    if (fields.has(ADVANCE)) {
      long millis = fields.number(ADVANCE, 0);
      if (millis < 0) {
        throw ApiException.badRequest(
            "%s is %d: expected 0 or more, as the clock does not go back"
                .formatted(ADVANCE, millis));
      }
      requireReachable(ADVANCE, millis, LAST - time.now());
      return time.moveBy(millis);
    }
    if (fields.has(TO)) {
      long millis = fields.number(TO, 0);
      if (millis < time.now()) {
        throw ApiException.badRequest(
            "%s is %d: expected %d or more, as the clock does not go back"
                .formatted(TO, millis, time.now()));
      }
      requireReachable(TO, millis, LAST);
      return time.moveTo(millis);
    }
    if (!fields.namedBool(TO_NEXT)) {
      throw ApiException.badRequest("%s is false: expected true".formatted(TO_NEXT));
    }
    return time.moveToNext();
  }

  private static void requireReachable(String field, long millis, long most) {
    if (millis > most) {
      throw ApiException.badRequest(
          "%s is %d: expected %d at most, as the clock ends at %s"
              .formatted(field, millis, most, SettableClock.LAST));
    }
  }

  private static Map<String, Object> manual(ManualTime moved) {
    Map<String, Object> json = json("manual", moved.now());
    long next = Futures.await(moved.next());
    if (next != Long.MAX_VALUE) {
      json.put("next_ms", next);
    }
    return json;
  }

  private static Map<String, Object> json(String mode, long millis) {
    return Json.object(
        "mode", mode, "now", Instant.ofEpochMilli(millis).toString(), "now_ms", millis);
  }
}
