package io.mayflymq.server.management.resource;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The death journal: the last messages that were dropped or dead-lettered, the latest first. It
 * names messages, so a user who asks needs the permission to read the queues, as for browsing.
 */
public final class DeathResource {
  private final ManagedBroker managed;
  private final SpreadList<Entry> list;

  public DeathResource(ManagedBroker managed) {
    this.managed = managed;
    this.list =
        new SpreadList<>(
            new ListKind<>(
                "deaths",
                this::listHere,
                Entry::id,
                Entry::place,
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

  /**
   * A death in the journal of this node.
   *
   * @param number its number among those of the same time, from 0 for the earliest
   */
  private record Entry(DeathRecord death, int number) {
    String id() {
      return "%d.%d".formatted(death.timeMillis(), number);
    }

    /** The latest first. */
    String place() {
      return "%019d.%010d"
          .formatted(Long.MAX_VALUE - death.timeMillis(), Integer.MAX_VALUE - number);
    }
  }

  private Response list(Request request) {
    return list.answer(request, limit(request));
  }

  private List<Entry> listHere(Request request) {
    Predicate<DeathRecord> wanted = readable(request).and(wanted(request));
    return numbered(deaths()).stream()
        .filter(entry -> wanted.test(entry.death()))
        .limit(limit(request))
        .toList();
  }

  private static List<Entry> numbered(List<DeathRecord> latestFirst) {
    Entry[] entries = new Entry[latestFirst.size()];
    long time = -1;
    int number = 0;
    for (int i = entries.length - 1; i >= 0; i--) {
      DeathRecord death = latestFirst.get(i);
      number = death.timeMillis() == time ? number + 1 : 0;
      time = death.timeMillis();
      entries[i] = new Entry(death, number);
    }
    return List.of(entries);
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
    return request.number("limit", Long.MAX_VALUE, 0, Long.MAX_VALUE);
  }

  /** Lists the deaths of a queue, also of a deleted one while the journal has entries of it. */
  private Response ofQueue(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String queue = request.parameter("queue");
    managed.access(request.principal(), vhost).check(ResourceKind.QUEUE, queue, Permission.READ);
    Predicate<DeathRecord> here =
        death -> death.vhost().equals(vhost.name()) && death.queue().equals(queue);
    if (vhost.routing().queue(queue) == null && deaths().stream().noneMatch(here)) {
      throw ApiException.notFound(Missing.queue(vhost, queue));
    }
    return answer(request, here.and(wanted(request)));
  }

  /** Tells how far back the journal goes that has the deaths of a queue. */
  private Response reach(Request request) {
    Queue queue = managed.usableQueue(request, Permission.READ);
    DeathJournal.Reach reach =
        Futures.await(
                ShardQuery.collect(
                    List.of(queue), Queue::shard, found -> found.partition().journal().reach()))
            .get(0);
    return Response.ok(
        Json.object(
            "size",
            reach.size(),
            "gone",
            reach.gone(),
            "since",
            reach.gone() == 0 ? null : reach.oldestMillis()));
  }

  private List<DeathRecord> deaths() {
    return Futures.await(managed.broker().partitions().deaths());
  }

  private Response answer(Request request, Predicate<DeathRecord> wanted) {
    return Listing.of(
            deaths().stream().filter(wanted).limit(limit(request)).toList(),
            DeathRecord::queue,
            DeathResource::object)
        .answer(request);
  }

  private static Predicate<DeathRecord> wanted(Request request) {
    Predicate<DeathRecord> wanted = death -> true;
    String queue = request.query("queue");
    if (queue != null) {
      wanted = wanted.and(death -> death.queue().equals(queue));
    }
    if (request.query("reason") != null) {
      DeathReason reason = reason(request.query("reason"));
      wanted = wanted.and(death -> death.reason() == reason);
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
    boolean expired = death.reason() == DeathReason.EXPIRED;
    return Json.object(
        "time", death.timeMillis(),
        "vhost", death.vhost(),
        "queue", death.queue(),
        "message_id", message == null ? null : message.messageId(),
        "exchange", message == null ? null : message.exchange(),
        "routing_key", message == null ? null : message.routingKey(),
        "reason", death.reason().wireName(),
        "decided_by", death.cause().setting(),
        "deadline", expired ? death.deadlineMillis() : null,
        "lateness_ms", expired ? death.latenessMillis() : null,
        "fate", death.fate().wireName(),
        "dead_letter_exchange", death.deadLetterExchange(),
        "dead_letter_routing_keys", death.routingKeys(),
        "dead_letter_queues", death.targets());
  }
}
