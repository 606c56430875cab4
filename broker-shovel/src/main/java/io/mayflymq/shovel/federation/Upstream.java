package io.mayflymq.shovel.federation;

import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.transfer.AckMode;
import java.util.List;

/**
 * Another broker that messages come from, as a parameter of {@code federation-upstream} says. Its
 * text has no passwords.
 *
 * @param name of the parameter
 * @param uris the brokers, of which one is used
 * @param prefetch how many messages may be on their way
 * @param reconnectDelayMillis how long a link waits before it tries again; 0: it does not
 * @param maxHops how many links of exchanges a message may pass
 * @param expiresMillis after which time without a link the upstream's queue of an exchange is
 *     deleted; 0: never
 * @param messageTtlMillis how long messages stay in that queue; negative: for ever
 * @param ackMode when a message is acknowledged at the upstream
 * @param trustUserId whether messages keep the user who published them
 * @param exchange the name of exchanges at the upstream; null for that which they have here
 * @param queue the name of queues at the upstream; null for that which they have here
 * @param queuePattern a regular expression: it is an upstream of all queues whose names it finds,
 *     also without a policy; null if only policies say so
 * @param consumerTag of consumers of queues
 * @param queueType of the upstream's queue of an exchange
 * @param keepsQueue whether that queue stays at the upstream when its link is not wanted any more
 */
record Upstream(
    String name,
    List<BrokerUri> uris,
    int prefetch,
    long reconnectDelayMillis,
    int maxHops,
    long expiresMillis,
    long messageTtlMillis,
    AckMode ackMode,
    boolean trustUserId,
    String exchange,
    String queue,
    String queuePattern,
    String consumerTag,
    String queueType,
    boolean keepsQueue) {

  /** Returns the name that an exchange or queue of this broker has there. */
  String nameOf(Federated federated) {
    String given = federated.kind() == Federated.Kind.EXCHANGE ? exchange : queue;
    return given == null ? federated.name() : given;
  }
}
