package io.mayflymq.server.config;

/** A key and its value as text, with the place where it was written. */
record FileEntry(Origin origin, String key, String value) {}
