package io.mayflymq.server.management;

import io.mayflymq.core.vhost.VirtualHost;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Consumers: all, and of a virtual host. */
final class ConsumerResource {
  private final ManagedBroker managed;

  ConsumerResource(ManagedBroker managed) {
    this.managed = managed;
  }

  void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("consumers", request -> list(request, managed.vhosts(request.principal())))
        .get("consumers/{vhost}", request -> list(request, List.of(managed.visibleVhost(request))));
  }

  private Response list(Request request, Collection<VirtualHost> vhosts) {
    List<Map<String, Object>> all =
        managed.queues(vhosts).stream()
            .flatMap(
                view -> view.consumers().stream().map(member -> QueueJson.consumer(view, member)))
            .toList();
    return Listing.of(all).answer(request);
  }
}
