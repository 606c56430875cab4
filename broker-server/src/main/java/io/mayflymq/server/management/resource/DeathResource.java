package io.mayflymq.server.management.resource;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The death journal: the last messages that were dropped or dead-lettered, the latest first. It
 * names messages, so a user who asks needs the permission to read the queues, as for browsing.
 */
public final class DeathResource {
  private static final long USUAL_LIMIT = 10_000;
  private static final long LARGEST_LIMIT = 100_000;

  private static final Comparator<DeathJournal.Entry> LATEST_FIRST =
      Comparator.<DeathJournal.Entry>comparingLong(entry -> entry.death().timeMillis())
          .thenComparingLong(DeathJournal.Entry::number)
          .reversed();

  private final ManagedBroker managed;
  private final SpreadList<DeathJournal.Entry> list;

  public DeathResource(ManagedBroker managed) {
    this.managed = managed;
    this.list =
        new SpreadList<>(
            new ListKind<>(
                "deaths",
                this::listHere,
                DeathResource::id,
                DeathResource::place,
                entry -> entry.death().queue(),
                entry -> object(entry.death())),
            managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("deaths", this::list)
        .get("deaths/{vhost}", this::list)
        .get(
            "queues/{vhost}/{queue}/deaths",
            managed.atHome(managed.nodes().orElsewhere(this::ofQueue)))
        .get("queues/{vhost}/{queue}/deaths/reach", managed.atHome(this::reach));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    list.addTo(questions);
    questions.get("queues/{vhost}/{queue}/deaths", this::ofQueue);
  }

  private static String id(DeathJournal.Entry entry) {
    return Long.toString(entry.number());
  }

  /** The latest first. */
  private static String place(DeathJournal.Entry entry) {
    return "%019d.%019d"
        .formatted(Long.MAX_VALUE - entry.death().timeMillis(), Long.MAX_VALUE - entry.number());
  }

  private Response list(Request request) {
    return list.answer(request, limit(request));
  }

  private List<DeathJournal.Entry> listHere(Request request) {
    return latest(readable(request).and(wanted(request)), limit(request));
  }

  /** Returns the latest ones in the order of their times; shards add theirs burst by burst. */
  private List<DeathJournal.Entry> latest(Predicate<DeathRecord> wanted, long most) {
    return journal().latest(wanted, most).stream().sorted(LATEST_FIRST).toList();
  }

  private Predicate<DeathRecord> readable(Request request) {
    Map<String, VhostAccess> access = managed.access(request.principal());
    String vhost = request.parameter("vhost");
    if (vhost != null) {
      access.keySet().retainAll(Set.of(managed.usableVhost(request).name()));
    }
    return death -> {
      VhostAccess there = access.get(death.vhost());
      return there != null && there.allows(ResourceKind.QUEUE, death.queue(), Permission.READ);
    };
  }

  private static long limit(Request request) {
    return request.number("limit", USUAL_LIMIT, 0, LARGEST_LIMIT);
  }

  /** Lists the deaths of a queue, also of a deleted one while the journal has entries of it. */
  private Response ofQueue(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String queue = request.parameter("queue");
    managed.access(request.principal(), vhost).check(ResourceKind.QUEUE, queue, Permission.READ);
    Predicate<DeathRecord> here =
        death -> death.vhost().equals(vhost.name()) && death.queue().equals(queue);
    if (vhost.routing().queue(queue) == null && journal().latest(here, 1).isEmpty()) {
      throw ApiException.notFound(Missing.queue(vhost, queue));
    }
    return answer(request, here.and(wanted(request)));
  }

  /** Tells how far back the journal goes that has the deaths of a queue. */
  private Response reach(Request request) {
    managed.usableQueue(request, Permission.READ);
    DeathJournal.Reach reach = journal().reach();
    return Response.ok(
        Json.object(
            "size",
            reach.size(),
            "bytes",
            reach.bytes(),
            "kept",
            reach.kept(),
            "gone",
            reach.gone(),
            "since",
            reach.gone() == 0 ? null : reach.oldestMillis()));
  }

  private DeathJournal journal() {
    return Futures.await(managed.broker().partitions().deaths());
  }

  private Response answer(Request request, Predicate<DeathRecord> wanted) {
    return Listing.of(
            latest(wanted, limit(request)),
            entry -> entry.death().queue(),
            entry -> object(entry.death()))
        .answer(request);
  }

  private static Predicate<DeathRecord> wanted(Request request) {
    Predicate<DeathRecord> wanted = death -> true;
    String queue = request.query("queue");
    if (queue != null) {
      wanted = wanted.and(death -> death.queue().equals(queue));
    }
    if (request.query("reason") != null) {
      String reason = request.query("reason");
      if (!DeathRecord.REASONS.contains(reason)) {
        throw ApiException.badRequest(
            "reason should be one of %s, actually was %s"
                .formatted(String.join(", ", DeathRecord.REASONS), reason));
      }
      wanted = wanted.and(death -> death.reasonName().equals(reason));
    }
    String id = request.query("message_id");
    if (id != null) {
      wanted =
          wanted.and(death -> death.message() != null && id.equals(death.message().messageId()));
    }
    return wanted;
  }

  /**
   * Returns the reason of this name.
   *
   * @throws ApiException 400 if there is none
   */
  static DeathReason reason(String name) {
    return DeathReason.ofWireName(name)
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "reason should be one of %s, actually was %s"
                        .formatted(DeathReason.wireNames(), name)));
  }

  private static Map<String, Object> object(DeathRecord death) {
    DeathRecord.Identity message = death.message();
    DeathRecord.Removal removal = death.removal();
    boolean expired = death.reason() == DeathReason.EXPIRED;
    return Json.object(
        "time", death.timeMillis(),
        "vhost", death.vhost(),
        "queue", death.queue(),
        "message_id", message == null ? null : message.messageId(),
        "exchange", message == null ? null : message.exchange(),
        "routing_key", message == null ? null : message.routingKey(),
        "reason", death.reasonName(),
        "decided_by", removal == null ? death.cause().setting() : "operator",
        "by", removal == null ? null : removal.user(),
        "deadline", expired ? death.deadlineMillis() : null,
        "lateness_ms", expired ? death.latenessMillis() : null,
        "fate", removal == null ? death.fate().wireName() : removal.kind().wireName(),
        "dead_letter_exchange", death.deadLetterExchange(),
        "dead_letter_routing_keys", death.routingKeys(),
        "dead_letter_queues", death.targets());
  }
}
