package io.mayflymq.server.cluster.transport;

/**
 * How long nodes wait for one another, in ms; each 1 or more.
 *
 * @param connect for a connection to be accepted
 * @param handshake for the handshake, with TLS's
 * @param heartbeat so often a node that sends nothing else says that it is there
 * @param lost a node is lost that has sent nothing for so long
 * @param firstRetry until the first attempt to connect again; doubles with each one
 * @param lastRetry the longest time between attempts
 */
public record TransportTimes(
    int connect, int handshake, int heartbeat, int lost, int firstRetry, int lastRetry) {
  /** What is used outside of tests. */
  public static final TransportTimes USUAL =
      new TransportTimes(5_000, 10_000, 2_000, 6_000, 100, 2_000);
}
