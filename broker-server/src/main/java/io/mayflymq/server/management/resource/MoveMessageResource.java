package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.deadletter.MoveRequest;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.deadletter.RedriveReport;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Moving some of the ready messages of a queue to another queue, or to an exchange. */
public final class MoveMessageResource extends HomeRoutes {
  private static final String TO = "to";
  private static final String EXCHANGE = "exchange";
  private static final String ROUTING_KEY = "routing_key";
  private static final Set<String> FIELDS = Set.of(TO, EXCHANGE, ROUTING_KEY);

  /** After so long the answer is how far it has come; it goes on. */
  private static final long PATIENCE_SECONDS = 30;

  public MoveMessageResource(ManagedBroker managed) {
    super(managed);
  }

  @Override
  void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where) {
    requestRouter
        .post("queues/{vhost}/{queue}/messages/move", where.apply(request -> move(request, false)))
        .post(
            "queues/{vhost}/{queue}/messages/move/dry-run",
            where.apply(request -> move(request, true)));
  }

  private Response move(Request request, boolean dryRun) {
    Queue queue = managed.usableQueue(request, Permission.READ);
    Body.Fields fields = request.body().fields();
    MessageChoice choice =
        MessageChoices.of(
            fields, FIELDS, "POST queues/{vhost}/{queue}/redrive with 'to' moves all to a queue");
    MoveRequest wanted =
        new MoveRequest(
            choice,
            fields.namedText(TO, null),
            exchange(fields),
            fields.namedText(ROUTING_KEY, null),
            request.principal().user(),
            dryRun);
    VhostAccess access = managed.access(request.principal(), queue.vhost());
    requireTarget(queue, wanted, access, request.principal().isInternal());
    Redrive.Conditions conditions =
        request.principal().isInternal()
            ? new RedriveResource.Conditions(managed.alarms(), access, queue.vhost())
            : new Allowed();
    if (!dryRun && conditions.publishersWait()) {
      throw ApiException.badRequest("an alarm is raised, and publishers wait: nothing is moved");
    }
    Redrive move =
        Futures.await(managed.usableVhost(request).redrives().move(queue, wanted, conditions));
    CompletableFuture<RedriveReport> done = move.done().copy();
    done.completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS);
    RedriveReport report = Futures.await(done);
    return Response.ok(RedriveResource.object(chosen(report == null ? move.report() : report)));
  }

  /** Returns the exchange, whose name is empty for the default one; null if it is not given. */
  private static String exchange(Body.Fields fields) {
    String name = fields.namedText(EXCHANGE, null);
    return "amq.default".equals(name) ? "" : name;
  }

  /** What is known before the first message is looked at. */
  private static void requireTarget(
      Queue source, MoveRequest wanted, VhostAccess access, boolean isInternal) {
    if ((wanted.queue() == null) == (wanted.exchange() == null)) {
      throw ApiException.badRequest(
          "expected either %s, a queue, or %s, with or without %s"
              .formatted(TO, EXCHANGE, ROUTING_KEY));
    }
    QueueHost vhost = source.vhost();
    if (wanted.queue() != null) {
      if (wanted.routingKey() != null) {
        throw ApiException.badRequest("%s needs %s".formatted(ROUTING_KEY, EXCHANGE));
      }
      access.check(ResourceKind.EXCHANGE, "", Permission.WRITE);
      if (wanted.queue().equals(source.name())) {
        throw ApiException.badRequest(
            "queue '%s' in vhost '%s' has the messages already"
                .formatted(wanted.queue(), vhost.name()));
      }
      if (vhost.routing().queue(wanted.queue()) == null) {
        throw ApiException.badRequest(
            "%s should be a queue that exists: no queue '%s' in vhost '%s'"
                .formatted(TO, wanted.queue(), vhost.name()));
      }
      return;
    }
    access.check(ResourceKind.EXCHANGE, wanted.exchange(), Permission.WRITE);
    ExchangeDefinition exchange = vhost.routing().exchange(wanted.exchange());
    if (exchange == null) {
      throw ApiException.badRequest(
          "%s should be an exchange that exists: no exchange '%s' in vhost '%s'"
              .formatted(EXCHANGE, wanted.exchange(), vhost.name()));
    }
    if (exchange.internal()) {
      throw ApiException.badRequest(
          "cannot publish to internal exchange '%s' in vhost '%s'"
              .formatted(exchange.name(), vhost.name()));
    }
    if (wanted.routingKey() != null && !ShortString.fits(wanted.routingKey())) {
      throw ApiException.badRequest("%s should have 255 bytes at most".formatted(ROUTING_KEY));
    }
    if (exchange.hasTopics()) {
      if (wanted.routingKey() != null) {
        access.checkTopic(exchange.name(), wanted.routingKey(), Permission.WRITE);
      } else if (!isInternal) {
        // Each message may need another permission, and shards do not wait for a service.
        throw ApiException.badRequest(
            "%s is needed by a user whose permissions are not in the broker itself"
                .formatted(ROUTING_KEY));
      }
    }
  }

  /** For a user whose permissions are known elsewhere: all of them were checked before. */
  private final class Allowed implements Redrive.Conditions {
    @Override
    public boolean publishersWait() {
      return managed.alarms().isRaised();
    }

    @Override
    public boolean mayPublish(String exchange, String routingKey) {
      return true;
    }
  }

  /** Those that were not asked for are not told of. */
  private static RedriveReport chosen(RedriveReport report) {
    Map<Skipped, Long> skipped = new EnumMap<>(Skipped.class);
    skipped.putAll(report.skipped());
    skipped.remove(Skipped.NOT_WANTED);
    return new RedriveReport(
        report.state(),
        report.reason(),
        report.startedAtMillis(),
        report.endedAtMillis(),
        report.moved(),
        report.movedTo(),
        skipped);
  }
}
