package io.mayflymq.server.connection;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.channel.ConnectionIdentity;
import java.util.Optional;

/**
 * The state of a connection at one moment.
 *
 * @param identity its identity
 * @param counters its bytes and packets; live counters, not a copy
 * @param state {@code running}; {@code blocked} by an alarm or a queue that is paused or full; or
 *     {@code flow} if rates let what it publishes pass later
 * @param channels how many channels were open
 * @param tuning what was negotiated
 * @param mechanism the SASL mechanism that its user logged in by
 * @param clientProperties what the client says of itself
 * @param connectedAtMillis when it was opened, in ms since the epoch
 * @param encryption how it is encrypted; null if it is not
 * @param pendingBytes what waits to be written to its socket
 * @param memory the memory that is held for its client: transactions that are not committed,
 *     messages that are not complete, and what waits to be written, in bytes
 */
public record ConnectionView(
    ConnectionIdentity identity,
    Counters counters,
    String state,
    int channels,
    Tuning tuning,
    String mechanism,
    FieldTable clientProperties,
    long connectedAtMillis,
    Encryption encryption,
    long pendingBytes,
    long memory) {

  /**
   * What client and broker have negotiated.
   *
   * @param channelMax the highest channel number; 0 for none but the protocol's
   * @param frameMax the largest frame in bytes; 0 for no limit
   * @param heartbeatSeconds the interval of heartbeats; 0 for none
   */
  public record Tuning(int channelMax, int frameMax, int heartbeatSeconds) {}

  /** Returns the name that the client has given it. */
  public Optional<String> givenName() {
    return ConnectionName.given(clientProperties);
  }
}
