package io.mayflymq.server.management.json;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.server.channel.ChannelIdentity;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.connection.ConnectionView;
import io.mayflymq.server.connection.Encryption;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.TableJson;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Connections and channels as RabbitMQ's management shows them. */
public final class ConnectionJson {
  private ConnectionJson() {}

  /** Returns the reference to a connection that other objects contain. */
  static Map<String, Object> details(ConnectionIdentity connection) {
    Map<String, Object> details =
        Json.object(
            "name", connection.name(),
            "peer_host", connection.peerHost(),
            "peer_port", connection.peerPort());
    putGivenName(details, connection.givenName());
    return details;
  }

  /** Adds the name that a client has given its connection, if there is one. */
  static void putGivenName(Map<String, Object> object, String givenName) {
    if (!givenName.isEmpty()) {
      object.put("user_provided_name", givenName);
    }
  }

  public static Map<String, Object> connection(ConnectionView view, History history) {
    ConnectionIdentity identity = view.identity();
    Counters counters = view.counters();
    Map<String, Object> object =
        Json.object(
            "auth_mechanism", view.mechanism(),
            "channel_max", view.tuning().channelMax(),
            "channels", view.channels(),
            "client_properties", TableJson.SHOWN.of(view.clientProperties()),
            "connected_at", view.connectedAtMillis(),
            "frame_max", view.tuning().frameMax(),
            "host", identity.host(),
            "memory", view.memory(),
            "name", identity.name(),
            "node", NodeName.value());
    putCertificate(object, view.encryption());
    object.putAll(
        Json.object(
            "peer_host", identity.peerHost(),
            "peer_port", identity.peerPort(),
            "pid", identity.pid(),
            "port", identity.port(),
            "protocol", "AMQP 0-9-1",
            "recv_cnt", counters.get(Counter.RECEIVED_PACKETS)));
    Statistics.putBytes(object, "recv_oct", Counter.RECEIVED_BYTES, counters, history);
    object.put("send_cnt", counters.get(Counter.SENT_PACKETS));
    Statistics.putBytes(object, "send_oct", Counter.SENT_BYTES, counters, history);
    object.put("send_pend", view.pendingBytes());
    putEncryption(object, view.encryption());
    object.putAll(
        Json.object(
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
    putGivenName(object, identity.givenName());
    Erlang.putReductions(object);
    Erlang.putGarbageCollection(object);
    return object;
  }

  /** Returns a single connection: what is absent is an empty text here, and null in lists. */
  public static Map<String, Object> connectionDetail(ConnectionView view, History history) {
    Map<String, Object> object = connection(view, history);
    object.replaceAll((key, value) -> value == null ? "" : value);
    return object;
  }

  private static void putCertificate(Map<String, Object> object, Encryption encryption) {
    X509Certificate certificate = encryption == null ? null : encryption.peer();
    boolean none = certificate == null;
    object.put("peer_cert_issuer", none ? null : certificate.getIssuerX500Principal().getName());
    object.put("peer_cert_serial_number", none ? null : serialNumber(certificate));
    object.put("peer_cert_subject", none ? null : certificate.getSubjectX500Principal().getName());
    object.put(
        "peer_cert_validity",
        none
            ? null
            : "%s - %s"
                .formatted(
                    certificate.getNotBefore().toInstant(), certificate.getNotAfter().toInstant()));
  }

  /** In hexadecimal digits, as OpenSSL shows it. */
  private static String serialNumber(X509Certificate certificate) {
    return certificate.getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
  }

  private static void putEncryption(Map<String, Object> object, Encryption encryption) {
    boolean none = encryption == null;
    object.put("ssl", !none);
    object.put("ssl_cipher", none ? null : encryption.cipher());
    object.put("ssl_hash", none ? null : encryption.hash());
    object.put("ssl_key_exchange", none ? null : encryption.keyExchange());
    object.put("ssl_protocol", none ? null : encryption.protocol().toLowerCase(Locale.ROOT));
  }

  /** Returns the fields that RabbitMQ's list of a user's connections has. */
  public static Map<String, Object> brief(ConnectionIdentity identity) {
    return Json.object(
        "name", identity.name(),
        "vhost", identity.vhost(),
        "user", identity.user(),
        "node", NodeName.value());
  }

  /** Returns a single channel, with what it did by exchange and by queue. */
  public static Map<String, Object> channelDetail(ChannelView view, History history) {
    Map<String, Object> object = channel(view, history);
    String vhost = view.identity().connection().vhost();
    object.put("publishes", shares("exchange", vhost, view.exchanges()));
    object.put("deliveries", shares("queue", vhost, view.queues()));
    return object;
  }

  private static List<Map<String, Object>> shares(
      String kind, String vhost, Map<String, Counters> counts) {
    return counts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            share ->
                Json.object(
                    kind,
                    Json.object("name", share.getKey(), "vhost", vhost),
                    "stats",
                    Statistics.ofChannel(share.getValue(), History.NONE)))
        .toList();
  }

  /** Returns a channel as it is shown in lists. */
  public static Map<String, Object> channel(ChannelView view, History history) {
    ChannelIdentity identity = view.identity();
    Map<String, Object> object =
        Json.object(
            "acks_uncommitted", view.uncommittedAcks(),
            "confirm", view.confirm(),
            "connection_details", details(identity.connection()),
            "consumer_count", view.consumers(),
            "global_prefetch_count", view.globalPrefetch());
    Map<String, Object> stats = Statistics.ofChannel(view.counters(), history);
    if (stats != null) {
      object.put("message_stats", stats);
    }
    String idleSince = Statistics.idleSince(view.counters());
    if (idleSince != null) {
      object.put("idle_since", idleSince);
    }
    Erlang.putReductions(object);
    Erlang.putGarbageCollection(object);
    object.putAll(
        Json.object(
            "cached_segments", 0,
            "pending_raft_commands", 0,
            "messages_unacknowledged", view.unacked(),
            "messages_uncommitted", view.uncommitted(),
            "messages_unconfirmed", view.unconfirmed(),
            "name", identity.name(),
            "node", NodeName.value(),
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
