package io.mayflymq.server.config;

import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.vhost.ObjectLimits;

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
  /**
   * Returns how many bytes may be held for clients.
   *
   * @param maxHeap the most that the heap may take, in bytes
   */
  public long clientMemoryBytes(long maxHeap) {
    return (long) (clientMemory * maxHeap);
  }
}
