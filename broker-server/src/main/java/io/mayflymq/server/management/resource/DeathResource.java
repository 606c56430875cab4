package io.mayflymq.server.management.resource;

import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The death journal: the last messages that were dropped or dead-lettered, the latest first. */
public final class DeathResource {
  private final ManagedBroker managed;

  public DeathResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("deaths", request -> list(request, managed.vhosts(request.principal())))
        .get("deaths/{vhost}", request -> list(request, List.of(managed.visibleVhost(request))))
        .get("queues/{vhost}/{queue}/deaths", managed.atHome(this::ofQueue));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    questions.get("queues/{vhost}/{queue}/deaths", this::ofQueue);
  }

  private Response list(Request request, Collection<VirtualHost> vhosts) {
    return answer(request, inVhosts(vhosts).and(wanted(request)));
  }

  /** Lists the deaths of a queue, also of a deleted one while the journal has entries of it. */
  private Response ofQueue(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String queue = request.parameter("queue");
    Predicate<DeathRecord> here =
        inVhosts(List.of(vhost)).and(death -> death.queue().equals(queue));
    if (vhost.routing().queue(queue) == null && deaths().stream().noneMatch(here)) {
      throw ApiException.notFound();
    }
    return answer(request, here.and(wanted(request)));
  }

  private List<DeathRecord> deaths() {
    return Futures.await(managed.broker().partitions().deaths());
  }

  private Response answer(Request request, Predicate<DeathRecord> wanted) {
    return Listing.of(
            deaths().stream()
                .filter(wanted)
                .limit(request.number("limit", Long.MAX_VALUE, 0, Long.MAX_VALUE))
                .toList(),
            DeathRecord::queue,
            DeathResource::object)
        .answer(request);
  }

  private static Predicate<DeathRecord> inVhosts(Collection<VirtualHost> vhosts) {
    var names = vhosts.stream().map(VirtualHost::name).collect(Collectors.toSet());
    return death -> names.contains(death.vhost());
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
