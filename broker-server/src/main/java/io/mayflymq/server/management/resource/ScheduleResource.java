package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.SchedulePage;
import io.mayflymq.core.queue.SchedulePlace;
import io.mayflymq.core.queue.ScheduledMessage;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages that are scheduled for a queue: looked at, cancelled, purged. */
public final class ScheduleResource extends HomeRoutes {
  private static final int DEFAULT_LIMIT = 100;
  private static final int LARGEST_LIMIT = 1000;

  /** A place in the order: when a message is due, and its number. */
  private static final Pattern PLACE = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

  public ScheduleResource(ManagedBroker managed) {
    super(managed);
  }

  @Override
  void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where) {
    requestRouter
        .get("queues/{vhost}/{queue}/scheduled", where.apply(this::list))
        .delete("queues/{vhost}/{queue}/scheduled", where.apply(this::purge))
        .delete("queues/{vhost}/{queue}/scheduled/{message}", where.apply(this::cancel));
  }

  /** A page, and where the next one begins; that is null at the end. */
  private Response list(Request request) {
    int limit = (int) request.number("limit", DEFAULT_LIMIT, 1, LARGEST_LIMIT);
    SchedulePlace after = place(request.query("after"));
    SchedulePage page = Futures.await(queue(request).requests().scheduled(after, limit));
    return Response.ok(
        Json.object(
            "items",
            page.messages().stream().map(ScheduleResource::object).toList(),
            "next",
            page.last() == null ? null : page.last().dueMillis() + "." + page.last().sequence()));
  }

  private static SchedulePlace place(String given) {
    if (given == null) {
      return SchedulePlace.START;
    }
    Matcher place = PLACE.matcher(given);
    if (!place.matches()) {
      throw ApiException.badRequest(
          "after should be what the page before gave as next, actually was " + given);
    }
    return new SchedulePlace(Long.parseLong(place.group(1)), Long.parseLong(place.group(2)));
  }

  private static Map<String, Object> object(ScheduledMessage message) {
    return Json.object(
        "message_id", message.messageId(),
        "due_at", message.dueMillis(),
        "enqueued_at", message.enqueuedAtMillis(),
        "payload_bytes", message.bodyLength(),
        "exchange", message.exchange(),
        "routing_key", message.routingKey());
  }

  private Response purge(Request request) {
    Futures.await(queue(request).requests().removeScheduled(null));
    return Response.noContent();
  }

  private Response cancel(Request request) {
    String id = request.parameter("message");
    if (Futures.await(queue(request).requests().removeScheduled(id)) == 0) {
      throw ApiException.notFound(Missing.other("scheduled message", id));
    }
    return Response.noContent();
  }

  /** Returns the queue, which the principal may read: an exclusive one is its connection's. */
  private Queue queue(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String name = request.parameter("queue");
    if (vhost.routing().queue(name) == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    managed.access(request.principal(), vhost).check(ResourceKind.QUEUE, name, Permission.READ);
    return vhost.queue(name, request.principal());
  }
}
