package io.mayflymq.server.management.api;

/**
 * The body of a response that is bytes, not JSON.
 *
 * @param bytes belongs to the body from now on
 */
@SuppressWarnings("ArrayRecordComponent") // written once, and never compared
public record BinaryBody(byte[] bytes) {}
