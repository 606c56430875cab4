package io.mayflymq.server.management.resource;

import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.deadletter.RedriveRegistry;
import io.mayflymq.core.vhost.deadletter.RedriveReport;
import io.mayflymq.core.vhost.deadletter.RedriveRequest;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Destination;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * RedriveRegistry dead letters. A redrive runs in the background: one request starts it, others
 * query its progress or stop it.
 */
public final class RedriveResource extends HomeRoutes {
  private static final Set<String> FIELDS =
      Set.of("to", "to_original", "filter", "limit", "rate", "keep_deaths");
  private static final Set<String> FILTERS = Set.of("reason", "queue", "message_id");

  public RedriveResource(ManagedBroker managed) {
    super(managed);
  }

  @Override
  void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where) {
    requestRouter
        .post("queues/{vhost}/{queue}/redrive", where.apply(this::begin))
        .get("queues/{vhost}/{queue}/redrive", where.apply(this::report))
        .delete("queues/{vhost}/{queue}/redrive", where.apply(this::stop))
        .post("queues/{vhost}/{queue}/redrive/dry-run", where.apply(this::dryRun));
  }

  private Response begin(Request request) {
    return Response.ok(object(redrive(request, false).report()));
  }

  private Response dryRun(Request request) {
    return Response.ok(object(Futures.await(redrive(request, true).done())));
  }

  private Redrive redrive(Request request, boolean dryRun) {
    Queue queue = managed.usableQueue(request, Permission.READ);
    RedriveRequest wanted = wanted(request.body().fields(), dryRun);
    if (!request.principal().isInternal()) {
      // Each message may need another permission, and shards do not wait for a service.
      throw ApiException.badRequest(
          "a redrive needs a user whose permissions are in the broker itself");
    }
    VhostAccess access = managed.access(request.principal(), queue.vhost());
    Conditions conditions = new Conditions(managed.alarms(), access, queue.vhost());
    return Futures.await(redrives(request).start(queue, wanted, conditions));
  }

  /** Checks the permissions of a user for each message. */
  record Conditions(Alarms alarms, VhostAccess access, QueueHost vhost)
      implements Redrive.Conditions {
    @Override
    public boolean publishersWait() {
      return alarms.isRaised();
    }

    @Override
    public boolean mayPublish(String exchange, String routingKey) {
      try {
        access.check(ResourceKind.EXCHANGE, exchange, Permission.WRITE);
        ExchangeDefinition definition = vhost.routing().exchange(exchange);
        if (definition != null && definition.internal()) {
          return false; // Headers that a client can set name it, and clients cannot publish to it.
        }
        if (definition != null && definition.hasTopics()) {
          access.checkTopic(exchange, routingKey, Permission.WRITE);
        }
        return true;
      } catch (ChannelException e) {
        return false;
      }
    }
  }

  private static RedriveRequest wanted(Body.Fields fields, boolean dryRun) {
    requireKnown("field", fields.object().keySet(), FIELDS);
    String to = fields.namedText("to", null);
    boolean toOriginal = fields.namedBool("to_original");
    if (to != null && toOriginal) {
      throw ApiException.badRequest("to and to_original exclude each other");
    }
    Destination destination =
        to != null ? Destination.QUEUE : toOriginal ? Destination.ORIGINAL : Destination.SOURCE;
    return new RedriveRequest(
        destination,
        to,
        filter(fields.get("filter")),
        fields.namedPositive("limit", Long.MAX_VALUE),
        fields.namedPositive("rate", 0),
        fields.namedBool("keep_deaths"),
        dryRun);
  }

  private static RedriveRequest.Filter filter(Object given) {
    if (given == null) {
      return RedriveRequest.Filter.ALL;
    }
    if (!(given instanceof Map<?, ?> object)) {
      throw ApiException.badRequest(
          "filter should be an object, actually was " + JsonWriter.text(given));
    }
    requireKnown("filter", object.keySet(), FILTERS);
    Body.Fields fields = new Body.Fields(object);
    String reason = fields.namedText("reason", null);
    return new RedriveRequest.Filter(
        reason == null ? null : DeathResource.reason(reason),
        fields.namedText("queue", null),
        fields.namedText("message_id", null));
  }

  private static void requireKnown(String what, Set<?> given, Set<String> known) {
    for (Object name : given) {
      if (!known.contains(name)) {
        throw ApiException.badRequest(
            "%s should be one of %s, actually was %s"
                .formatted(what, String.join(", ", new TreeSet<>(known)), name));
      }
    }
  }

  private Response report(Request request) {
    return Response.ok(object(last(request).report()));
  }

  /** Stops a redrive as soon as the messages in transit have arrived. */
  private Response stop(Request request) {
    Redrive redrive = last(request);
    redrive.stop();
    return Response.ok(object(Futures.await(redrive.done())));
  }

  private RedriveRegistry redrives(Request request) {
    return managed.usableVhost(request).redrives();
  }

  private Redrive last(Request request) {
    Redrive last = redrives(request).last(managed.usableQueue(request, Permission.READ));
    if (last == null) {
      throw ApiException.notFound(
          "queue '%s' in vhost '%s' was never redriven"
              .formatted(request.parameter("queue"), request.parameter("vhost")));
    }
    return last;
  }

  /** Returns how far it has come, or what came of it. */
  static Map<String, Object> object(RedriveReport report) {
    Map<String, Object> skipped = new TreeMap<>();
    report.skipped().forEach((why, count) -> skipped.put(why.wireName(), count));
    return Json.object(
        "state", report.state().wireName(),
        "reason", report.reason(),
        "started_at", report.startedAtMillis(),
        "ended_at", report.endedAtMillis() == 0 ? null : (Long) report.endedAtMillis(),
        "moved", report.moved(),
        "moved_to", new TreeMap<>(report.movedTo()),
        "skipped", report.skipped().values().stream().mapToLong(Long::longValue).sum(),
        "skipped_because", skipped);
  }
}
