package io.mayflymq.server.http;

/**
 * What the body of a request may take.
 *
 * @param maxBytes 0 or more
 * @param maxMillis from the end of the headers to the end of the body
 */
public record BodyLimit(int maxBytes, int maxMillis) {}
