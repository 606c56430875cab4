package io.mayflymq.server.management.resource;

import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.QueueJson;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Consumers: all, and of a virtual host. */
public final class ConsumerResource {
  private final ManagedBroker managed;

  public ConsumerResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
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
