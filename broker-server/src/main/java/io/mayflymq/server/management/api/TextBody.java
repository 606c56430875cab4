package io.mayflymq.server.management.api;

/**
 * The body of a response that is text, not JSON.
 *
 * @param lines each with its end
 */
public record TextBody(String lines) {}
