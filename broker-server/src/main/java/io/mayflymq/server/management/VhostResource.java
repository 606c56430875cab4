package io.mayflymq.server.management;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.CounterGroup;
import io.mayflymq.core.vhost.QueueView;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.config.NodeName;
import java.util.List;
import java.util.Map;

/** Virtual hosts, with what happens in them. */
final class VhostResource {
  private final ManagedBroker managed;

  VhostResource(ManagedBroker managed) {
    this.managed = managed;
  }

  void addTo(Router router) {
    router.get("vhosts", this::list).get("vhosts/{vhost}", this::get);
  }

  private Response list(Request request) {
    return Listing.of(managed.vhosts(request.principal()), VirtualHost::name, this::object)
        .answer(request);
  }

  private Response get(Request request) {
    return Response.ok(Listing.columns(request, object(managed.visibleVhost(request))));
  }

  private Map<String, Object> object(VirtualHost vhost) {
    List<QueueView> queues = managed.queues(List.of(vhost));
    CounterGroup traffic = vhost.metrics().connections();
    Map<String, Object> object =
        Json.object(
            "cluster_state", Map.of(NodeName.VALUE, "running"),
            "message_stats",
                Statistics.ofVhosts(
                    List.of(vhost.metrics().channels().snapshot()),
                    List.of(vhost.metrics().queues().snapshot())));
    Statistics.putMessages(
        object,
        queues.stream().mapToLong(view -> view.totals().ready()).sum(),
        queues.stream().mapToLong(view -> view.totals().unacked()).sum(),
        vhost.metrics().queues());
    object.put("name", vhost.name());
    Statistics.put(
        object,
        "recv_oct",
        traffic.get(Counter.RECEIVED_BYTES),
        traffic.rate(Counter.RECEIVED_BYTES));
    Statistics.put(
        object, "send_oct", traffic.get(Counter.SENT_BYTES), traffic.rate(Counter.SENT_BYTES));
    object.put("tracing", false);
    return object;
  }
}
