package io.mayflymq.server.http;

/**
 * The limits of one server for its clients, all listeners together.
 *
 * @param maxConnections open connections; at the limit a new one displaces the one that has waited
 *     longest for its client
 * @param maxRequests requests on a connection, after which it is closed
 * @param maxRequestLine bytes of method, target and version
 * @param maxHeaders bytes of all headers of a request
 * @param maxBodies bytes of all bodies that are being received at one time
 * @param maxAnswers bytes of all answers that clients have not taken yet; beyond that the one ends
 *     whose client has taken nothing for longest
 * @param maxWaiting requests that may wait for a worker
 * @param workers requests that are answered at one time, each by a thread
 * @param maxAside requests that may wait for what does not answer, beside those
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
    long maxAnswers,
    int maxWaiting,
    int workers,
    int maxAside,
    int requestMillis,
    int idleMillis,
    int inactivityMillis) {}
