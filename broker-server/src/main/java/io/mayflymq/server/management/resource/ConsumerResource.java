package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import io.mayflymq.server.management.json.ConsumerFields;
import java.util.List;

/**
 * Consumers: all, and of a virtual host; for who is no monitor only those of the user's own
 * connections. Each node lists those of its queues.
 */
public final class ConsumerResource {
  private final ManagedBroker managed;
  private final SpreadList<Found> consumers;

  public ConsumerResource(ManagedBroker managed) {
    this.managed = managed;
    this.consumers =
        new SpreadList<>(
            new ListKind<>(
                "consumers",
                this::here,
                Found::id,
                Found::id,
                found -> found.member.consumer().tag().value(),
                Found::furtherNames,
                found ->
                    ConsumerFields.of(
                        found.queue.queue(), found.member, managed.consumerTimeoutMillis())),
            managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("consumers", consumers::answer)
        .get(
            "consumers/{vhost}",
            request -> {
              managed.visibleVhost(request);
              return consumers.answer(request);
            });
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    consumers.addTo(questions);
  }

  private record Found(QueueSnapshot queue, QueueContents.Member member) {
    String id() {
      ConsumerOrigin channel = member.consumer().outlet().origin();
      return String.join(
          "\0",
          queue.queue().vhost().name(),
          queue.queue().name(),
          channel == null ? "" : channel.pid(),
          member.consumer().tag().value());
    }

    /** Its queue, its channel, and what its client has named its connection. */
    List<String> furtherNames() {
      ConsumerTarget target = member.consumer().outlet();
      ConsumerOrigin channel = target.origin();
      return List.of(
          queue.queue().name(),
          channel == null ? "" : "%s (%d)".formatted(channel.connection(), channel.channel()),
          target.clientName());
    }
  }

  private static boolean isShown(Principal principal, QueueContents.Member member) {
    ConsumerOrigin channel = member.consumer().outlet().origin();
    return channel == null ? principal.isMonitor() : principal.maySee(channel.user());
  }

  private List<Found> here(Request request) {
    String vhost = request.parameter("vhost");
    return managed
        .queues(
            managed.vhosts(request.principal()).stream()
                .filter(each -> vhost == null || vhost.equals(each.name()))
                .toList())
        .stream()
        .flatMap(view -> view.consumers().stream().map(member -> new Found(view, member)))
        .filter(found -> isShown(request.principal(), found.member))
        .toList();
  }
}
