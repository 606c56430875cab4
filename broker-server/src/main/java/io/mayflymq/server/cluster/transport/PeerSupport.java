package io.mayflymq.server.cluster.transport;

/**
 * What the connections to all other nodes share.
 *
 * @param reports is told which nodes are reachable
 */
record PeerSupport(
    TransportTimes times, NodeAddresses addresses, Dialer dialer, PeerReports reports) {}
