package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.fraction;
import static io.mayflymq.server.config.ValueTypes.largeBytes;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.zeroOr;

import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.vhost.ObjectLimits;
import java.util.Optional;

/**
 * The settings of connections: limits that are offered or enforced (AMQP 0-9-1 section 4.2.2 and
 * connection.tune).
 *
 * @param heartbeatSeconds the interval offered; 0 offers none
 * @param frameMax the largest frame offered, in bytes; 0 is no limit
 * @param initialFrameMax the largest frame accepted before connection.open, in bytes
 * @param channelMax the number of channels offered; 0 is no limit but the protocol's
 * @param maxMessageSize the largest body, in bytes; a larger one is a channel error 406
 * @param maxTransactionSize the largest transaction, in bytes; a larger one is a channel error 406
 * @param clientMemory the share of the heap that may be held for what clients have begun and not
 *     finished, and keep open, 0 to 1
 * @param handshakeTimeoutMillis from accept to connection.open-ok
 * @param consumerTimeoutMillis how long a delivery may stay unacknowledged; 0 is no limit
 * @param node how much may be open on this node; not offered to clients
 * @param consumerMaxPerChannel how many consumers a channel may have, 1 or more
 * @param objects how many virtual hosts and queues there may be, and how much memory they may take
 */
public record ProtocolSettings(
    int heartbeatSeconds,
    int frameMax,
    int initialFrameMax,
    int channelMax,
    int maxMessageSize,
    long maxTransactionSize,
    double clientMemory,
    int handshakeTimeoutMillis,
    long consumerTimeoutMillis,
    NodeLimits node,
    int consumerMaxPerChannel,
    ObjectLimits objects) {
  static final Section SECTION = new Section("Connections");

  /** RabbitMQ's own ceiling for max_message_size, 512 MiB. */
  private static final int LARGEST_MESSAGE = 512 << 20;

  static final Setting<Integer> HEARTBEAT =
      SECTION.addChangeable(
          Setting.of(
              "heartbeat",
              wholeNumber("seconds", 0, 65_535),
              "60",
              "The interval offered to clients; 0 offers none."));

  static final Setting<Integer> FRAME_MAX =
      SECTION.addChangeable(
          Setting.of(
              "frame_max",
              zeroOr("no limit", "bytes", 4096, LARGEST_MESSAGE),
              "131072",
              "The largest frame offered; 0 for no limit."));

  static final Setting<Integer> INITIAL_FRAME_MAX =
      SECTION.addChangeable(
          Setting.of(
              "initial_frame_max",
              wholeNumber("bytes", 4096, LARGEST_MESSAGE),
              "8192",
              "The largest frame accepted until `connection.tune-ok`."));

  static final Setting<Integer> CHANNEL_MAX =
      SECTION.addChangeable(
          Setting.of(
              "channel_max",
              wholeNumber("channels", 0, 65_535),
              "2047",
              "Channels per connection; 0 leaves it to the client."));

  static final Setting<Optional<Integer>> CONNECTION_MAX =
      SECTION.addChangeable(
          Setting.of(
              "connection_max",
              orWord("infinity", wholeNumber("connections", 0, Integer.MAX_VALUE)),
              "infinity",
              "Connections that may be open on this node, all users and virtual hosts"
                  + " together. A further one is closed with 530 NOT_ALLOWED when it opens its"
                  + " virtual host. RabbitMQ 4 also calls it `max_connections`."));

  static final Setting<Optional<Integer>> CHANNEL_MAX_PER_NODE =
      SECTION.addChangeable(
          Setting.of(
              "channel_max_per_node",
              orWord("infinity", wholeNumber("channels", 1, Integer.MAX_VALUE)),
              "infinity",
              "Channels that may be open on this node, on all connections together. Opening a"
                  + " further one closes its connection with 530 NOT_ALLOWED."));

  static final Setting<Optional<Integer>> CONSUMER_MAX_PER_CHANNEL =
      SECTION.addChangeable(
          Setting.of(
              "consumer_max_per_channel",
              orWord("infinity", wholeNumber("consumers", 1, Integer.MAX_VALUE)),
              "infinity",
              "Consumers that a channel may have. A further one closes the connection with"
                  + " 530 NOT_ALLOWED."));

  static final Setting<Optional<Integer>> VHOST_MAX =
      SECTION.addChangeable(
          Setting.of(
              "vhost_max",
              orWord("infinity", wholeNumber("virtual hosts", 0, Integer.MAX_VALUE)),
              "infinity",
              "Virtual hosts that there may be. A further one is refused: 400 in the HTTP"
                  + " API, and nothing is imported from definitions with too many."));

  static final Setting<Optional<Integer>> CLUSTER_QUEUE_LIMIT =
      SECTION.addChangeable(
          Setting.of(
              "cluster_queue_limit",
              orWord("infinity", wholeNumber("queues", 0, Integer.MAX_VALUE)),
              "infinity",
              "Queues that there may be, in all virtual hosts together. Declaring a further"
                  + " one closes the channel with 406; existing queues are kept."));

  static final Setting<Optional<Integer>> CLUSTER_EXCHANGE_LIMIT =
      SECTION.addChangeable(
          Setting.of(
              "cluster_exchange_limit",
              orWord("infinity", wholeNumber("exchanges", 0, Integer.MAX_VALUE)),
              "infinity",
              "Exchanges that there may be, in all virtual hosts together, with the seven"
                  + " that each virtual host begins with. Declaring a further one closes the"
                  + " channel with 406; existing exchanges are kept."));

  static final Setting<Double> VHOST_METADATA_LIMIT =
      SECTION.addChangeable(
          Setting.of(
              "vhost_metadata_limit.relative",
              fraction(1),
              "0.2",
              "The share of the largest heap (`-Xmx`) that exchanges, queues and bindings of"
                  + " a virtual host may take, about, if it has no"
                  + " [`max-metadata-bytes`](access-control.md#limits). A further one closes the"
                  + " channel with 406; existing ones are kept."));

  static final Setting<Double> CLUSTER_METADATA_LIMIT =
      SECTION.addChangeable(
          Setting.of(
              "cluster_metadata_limit.relative",
              fraction(1),
              "0.25",
              "The same for all virtual hosts together, with users, permissions and"
                  + " parameters, which may take a quarter of it."));

  static final Setting<Integer> MAX_MESSAGE_SIZE =
      SECTION.addChangeable(
          Setting.of(
              "max_message_size",
              bytes(1, LARGEST_MESSAGE),
              "134217728",
              "The largest message body. A larger one closes the channel with 406."));

  static final Setting<Long> MAX_TRANSACTION_SIZE =
      SECTION.addChangeable(
          Setting.of(
              "max_transaction_size",
              largeBytes(),
              "536870912",
              "The memory that a"
                  + " [transaction](alarms.md#transactions-and-incomplete-messages) may take until"
                  + " it is committed. A larger one closes the channel with 406."));

  static final Setting<Double> CLIENT_MEMORY =
      SECTION.addChangeable(
          Setting.of(
              "client_memory_limit.relative",
              fraction(1),
              "0.12",
              "The share of the maximum heap that [transactions, incomplete messages,"
                  + " connections, channels and"
                  + " consumers](alarms.md#transactions-and-incomplete-messages) of all clients may"
                  + " take together. Above it those of the virtual host that holds the most give"
                  + " up."));

  static final Setting<Integer> HANDSHAKE_TIMEOUT =
      SECTION.addChangeable(
          Setting.of(
              "handshake_timeout",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "10000",
              "The time limit for a client to send its protocol header, and again from there"
                  + " until the connection is open."));

  static final Setting<Integer> CONSUMER_TIMEOUT =
      SECTION.addChangeable(
          Setting.of(
              "consumer_timeout",
              zeroOr("no limit", "milliseconds", 1, Integer.MAX_VALUE),
              "1800000",
              "How long a delivery may stay unacknowledged before its channel is closed; 0"
                  + " for no limit. See [consumers](consumers.md#acknowledgement-timeout)."));

  static ProtocolSettings of(SettingValues values) {
    return new ProtocolSettings(
        values.get(HEARTBEAT),
        values.get(FRAME_MAX),
        values.get(INITIAL_FRAME_MAX),
        values.get(CHANNEL_MAX),
        values.get(MAX_MESSAGE_SIZE),
        values.get(MAX_TRANSACTION_SIZE),
        values.get(CLIENT_MEMORY),
        values.get(HANDSHAKE_TIMEOUT),
        values.get(CONSUMER_TIMEOUT),
        new NodeLimits(
            values.get(CONNECTION_MAX).orElse(NodeLimits.UNLIMITED),
            values.get(CHANNEL_MAX_PER_NODE).orElse(NodeLimits.UNLIMITED)),
        values.get(CONSUMER_MAX_PER_CHANNEL).orElse(NodeLimits.UNLIMITED),
        new ObjectLimits(
            values.get(VHOST_MAX).orElse(ObjectLimits.UNLIMITED),
            values.get(CLUSTER_QUEUE_LIMIT).orElse(ObjectLimits.UNLIMITED),
            values.get(CLUSTER_EXCHANGE_LIMIT).orElse(ObjectLimits.UNLIMITED),
            ofHeap(values.get(VHOST_METADATA_LIMIT)),
            ofHeap(values.get(CLUSTER_METADATA_LIMIT))));
  }

  private static long ofHeap(double share) {
    return (long) (share * Runtime.getRuntime().maxMemory());
  }

  /**
   * Returns how many bytes may be held for clients.
   *
   * @param maxHeap the most that the heap may take, in bytes
   */
  public long clientMemoryBytes(long maxHeap) {
    return (long) (clientMemory * maxHeap);
  }
}
