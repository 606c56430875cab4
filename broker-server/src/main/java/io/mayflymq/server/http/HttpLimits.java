package io.mayflymq.server.http;

/**
 * What one server takes from its clients, all listeners together.
 *
 * @param maxConnections open connections; at the limit a new one displaces the one that has waited
 *     longest for its client
 * @param maxRequests requests on a connection, after which it is closed
 * @param maxRequestLine bytes of method, target and version
 * @param maxHeaders bytes of all headers of a request
 * @param maxBodies bytes of all bodies that are being received at one time
 * @param maxWaiting requests that may wait for a worker
 * @param workers threads that answer requests
 * @param requestMillis from accepting a connection, or from the first byte of a later request, to
 *     the end of the headers
 * @param idleMillis between two requests
 * @param inactivityMillis for which a client may take nothing of an answer
 */
public record HttpLimits(
    int maxConnections,
    int maxRequests,
    int maxRequestLine,
    int maxHeaders,
    long maxBodies,
    int maxWaiting,
    int workers,
    int requestMillis,
    int idleMillis,
    int inactivityMillis) {}
