package io.mayflymq.server.http;

/**
 * The limits of a request's body.
 *
 * @param maxBytes 0 or more
 * @param maxMillis from the end of the headers to the end of the body
 */
public record BodyLimit(int maxBytes, int maxMillis) {}
