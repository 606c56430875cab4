package io.mayflymq.server.management;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.connection.ConnectionView;
import io.mayflymq.server.delivery.ChannelIdentity;
import io.mayflymq.server.delivery.ConnectionIdentity;
import java.util.Map;

/** Connections and channels as RabbitMQ's management shows them. */
final class ConnectionObjects {
  private ConnectionObjects() {}

  /** What stands for a connection in other objects. */
  static Map<String, Object> details(ConnectionIdentity connection) {
    return Json.object(
        "name", connection.name(),
        "peer_host", connection.peerHost(),
        "peer_port", connection.peerPort());
  }

  static Map<String, Object> connection(ConnectionView view) {
    ConnectionIdentity identity = view.identity();
    Counters counters = view.counters();
    Map<String, Object> object =
        Json.object(
            "auth_mechanism", view.mechanism(),
            "channel_max", view.tuning().channelMax(),
            "channels", view.channels(),
            "client_properties", Json.ofTable(view.clientProperties()),
            "connected_at", view.connectedAtMillis(),
            "frame_max", view.tuning().frameMax(),
            "host", identity.host(),
            "name", identity.name(),
            "node", NodeName.VALUE,
            "peer_cert_issuer", null,
            "peer_cert_subject", null,
            "peer_cert_validity", null,
            "peer_host", identity.peerHost(),
            "peer_port", identity.peerPort(),
            "pid", identity.pid(),
            "port", identity.port(),
            "protocol", "AMQP 0-9-1",
            "recv_cnt", counters.get(Counter.RECEIVED_PACKETS));
    Statistics.put(
        object,
        "recv_oct",
        counters.get(Counter.RECEIVED_BYTES),
        counters.rate(Counter.RECEIVED_BYTES));
    object.put("send_cnt", counters.get(Counter.SENT_PACKETS));
    Statistics.put(
        object, "send_oct", counters.get(Counter.SENT_BYTES), counters.rate(Counter.SENT_BYTES));
    object.putAll(
        Json.object(
            "send_pend",
            view.pendingBytes(),
            "ssl",
            false,
            "ssl_cipher",
            null,
            "ssl_hash",
            null,
            "ssl_key_exchange",
            null,
            "ssl_protocol",
            null,
            "state",
            view.state(),
            "timeout",
            view.tuning().heartbeatSeconds(),
            "type",
            "network",
            "user",
            identity.user(),
            "user_who_performed_action",
            identity.user(),
            "vhost",
            identity.vhost()));
    if (view.clientProperties().get("connection_name") instanceof FieldValue.LongString name) {
      object.put("user_provided_name", name.string());
    }
    return object;
  }

  /** The few fields of RabbitMQ's list of a user's connections. */
  static Map<String, Object> brief(ConnectionIdentity identity) {
    return Json.object(
        "name", identity.name(),
        "vhost", identity.vhost(),
        "user", identity.user(),
        "node", NodeName.VALUE);
  }

  static Map<String, Object> channel(ChannelView view) {
    ChannelIdentity identity = view.identity();
    Map<String, Object> object =
        Json.object(
            "acks_uncommitted", view.uncommittedAcks(),
            "confirm", view.confirm(),
            "connection_details", details(identity.connection()),
            "consumer_count", view.consumers(),
            "global_prefetch_count", view.globalPrefetch());
    Map<String, Object> stats = Statistics.ofChannel(view.counters());
    if (stats != null) {
      object.put("message_stats", stats);
    }
    object.putAll(
        Json.object(
            "messages_unacknowledged", view.unacked(),
            "messages_uncommitted", view.uncommitted(),
            "messages_unconfirmed", view.unconfirmed(),
            "name", identity.name(),
            "node", NodeName.VALUE,
            "number", identity.number(),
            "pid", identity.pid(),
            "prefetch_count", view.prefetch(),
            "state", "running",
            "transactional", view.transactional(),
            "user", identity.connection().user(),
            "user_who_performed_action", identity.connection().user(),
            "vhost", identity.connection().vhost()));
    return object;
  }
}
