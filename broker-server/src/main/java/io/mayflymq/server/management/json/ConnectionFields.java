package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.FieldType.COUNT;
import static io.mayflymq.server.management.json.FieldType.FLAG;
import static io.mayflymq.server.management.json.FieldType.NUMBER;
import static io.mayflymq.server.management.json.FieldType.OTHER;
import static io.mayflymq.server.management.json.FieldType.PROCESS;
import static io.mayflymq.server.management.json.FieldType.TABLE;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;

import io.mayflymq.core.metrics.Counter;
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
import java.util.function.Function;

/**
 * The fields of a connection, each described once, as {@link QueueFields} has those of a queue.
 * Nothing is merged over nodes: a connection is on one.
 */
public final class ConnectionFields {
  /** A connection as its fields are read. */
  private record Reading(ConnectionView view, History history) {
    ConnectionIdentity identity() {
      return view.identity();
    }

    long count(Counter counter) {
      return view.counters().get(counter);
    }

    Object rate(Counter counter) {
      return Statistics.bytesDetails(counter, view.counters(), history);
    }

    /** Returns something of how it is encrypted; shown as null if it is not. */
    Object encryption(Function<Encryption, Object> wanted) {
      return view.encryption() == null ? Field.NULL : wanted.apply(view.encryption());
    }

    /** Returns something of its client's certificate; shown as null if there is none. */
    Object certificate(Function<X509Certificate, Object> wanted) {
      return view.encryption() == null || view.encryption().peer() == null
          ? Field.NULL
          : wanted.apply(view.encryption().peer());
    }
  }

  private static final List<Field<Reading>> FIELDS =
      List.of(
          of("auth_mechanism", TEXT, connection -> connection.view.mechanism()).column(),
          of("channel_max", NUMBER, connection -> connection.view.tuning().channelMax()).column(),
          of("channels", NUMBER, connection -> connection.view.channels()).column(),
          of(
                  "client_properties",
                  TABLE,
                  connection -> TableJson.SHOWN.of(connection.view.clientProperties()))
              .column(),
          of("connected_at", NUMBER, connection -> connection.view.connectedAtMillis()).column(),
          of("frame_max", NUMBER, connection -> connection.view.tuning().frameMax()).column(),
          of("host", TEXT, connection -> connection.identity().host()).column(),
          of("memory", NUMBER, connection -> connection.view.memory()).column(),
          of("name", TEXT, connection -> connection.identity().name()).column(),
          of("node", TEXT, connection -> NodeName.value()).column(),
          of(
                  "peer_cert_issuer",
                  TEXT,
                  connection ->
                      connection.certificate(peer -> peer.getIssuerX500Principal().getName()))
              .column(),
          of(
              "peer_cert_serial_number",
              TEXT,
              connection -> connection.certificate(ConnectionFields::serialNumber)),
          of(
                  "peer_cert_subject",
                  TEXT,
                  connection ->
                      connection.certificate(peer -> peer.getSubjectX500Principal().getName()))
              .column(),
          of(
                  "peer_cert_validity",
                  TEXT,
                  connection -> connection.certificate(ConnectionFields::validity))
              .column(),
          of("peer_host", TEXT, connection -> connection.identity().peerHost()).column(),
          of("peer_port", NUMBER, connection -> connection.identity().peerPort()).column(),
          of("pid", PROCESS, connection -> connection.identity().pid()).column(),
          of("port", NUMBER, connection -> connection.identity().port()).column(),
          of("protocol", TEXT, connection -> "AMQP 0-9-1"),
          of("recv_cnt", NUMBER, connection -> connection.count(Counter.RECEIVED_PACKETS)).column(),
          of("recv_oct", NUMBER, connection -> connection.count(Counter.RECEIVED_BYTES)).column(),
          of("recv_oct_details", OTHER, connection -> connection.rate(Counter.RECEIVED_BYTES))
              .column("recv_oct_rate", "rate", COUNT),
          of("send_cnt", NUMBER, connection -> connection.count(Counter.SENT_PACKETS)).column(),
          of("send_oct", NUMBER, connection -> connection.count(Counter.SENT_BYTES)).column(),
          of("send_oct_details", OTHER, connection -> connection.rate(Counter.SENT_BYTES))
              .column("send_oct_rate", "rate", COUNT),
          of("send_pend", NUMBER, connection -> connection.view.pendingBytes()).column(),
          of("ssl", FLAG, connection -> connection.view.encryption() != null).column(),
          of("ssl_cipher", TEXT, connection -> connection.encryption(Encryption::cipher)).column(),
          of("ssl_hash", TEXT, connection -> connection.encryption(Encryption::hash)).column(),
          of("ssl_key_exchange", TEXT, connection -> connection.encryption(Encryption::keyExchange))
              .column(),
          of(
                  "ssl_protocol",
                  TEXT,
                  connection ->
                      connection.encryption(tls -> tls.protocol().toLowerCase(Locale.ROOT)))
              .column(),
          of("state", WORD, connection -> connection.view.state()).column(),
          of("timeout", NUMBER, connection -> connection.view.tuning().heartbeatSeconds()).column(),
          of("type", WORD, connection -> "network"),
          of("user", TEXT, connection -> connection.identity().user()).column(),
          of("user_who_performed_action", TEXT, connection -> connection.identity().user()),
          of("vhost", TEXT, connection -> connection.identity().vhost()).column(),
          of("user_provided_name", TEXT, connection -> givenName(connection.identity()))
              .column("client_name", "", TEXT),
          of("reductions", NUMBER, connection -> 0),
          of("reductions_details", OTHER, connection -> Erlang.NO_RATE),
          of("garbage_collection", OTHER, connection -> Erlang.GARBAGE_COLLECTION));

  private ConnectionFields() {}

  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  /** In hexadecimal digits, as OpenSSL shows it. */
  private static String serialNumber(X509Certificate certificate) {
    return certificate.getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
  }

  private static String validity(X509Certificate certificate) {
    return "%s - %s"
        .formatted(certificate.getNotBefore().toInstant(), certificate.getNotAfter().toInstant());
  }

  private static String givenName(ConnectionIdentity connection) {
    return connection.givenName().isEmpty() ? null : connection.givenName();
  }

  /** Returns a connection as it is shown in lists. */
  public static Map<String, Object> listed(ConnectionView connection) {
    return Field.object(FIELDS, new Reading(connection, History.NONE), false);
  }

  /** Returns a single connection: what is absent is an empty text here, and null in lists. */
  public static Map<String, Object> alone(ConnectionView connection, History history) {
    Map<String, Object> object = Field.object(FIELDS, new Reading(connection, history), true);
    object.replaceAll((key, value) -> value == null ? "" : value);
    return object;
  }

  /** Returns the columns of {@code list_connections}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }

  /** Returns the fields that RabbitMQ's list of a user's connections has. */
  public static Map<String, Object> brief(ConnectionIdentity connection) {
    return Json.object(
        "name", connection.name(),
        "vhost", connection.vhost(),
        "user", connection.user(),
        "node", NodeName.value());
  }

  /** Returns the reference to a connection that other objects contain. */
  static Map<String, Object> details(ConnectionIdentity connection) {
    Map<String, Object> details =
        Json.object(
            "name", connection.name(),
            "peer_host", connection.peerHost(),
            "peer_port", connection.peerPort());
    if (givenName(connection) != null) {
      details.put("user_provided_name", connection.givenName());
    }
    return details;
  }
}
