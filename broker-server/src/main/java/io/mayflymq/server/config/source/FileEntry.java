package io.mayflymq.server.config.source;

/** A key and its value as text, with the place where it was written. */
public record FileEntry(Origin origin, String key, String value) {}
