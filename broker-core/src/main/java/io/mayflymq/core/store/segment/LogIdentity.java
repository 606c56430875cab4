package io.mayflymq.core.store.segment;

import java.util.UUID;

/**
 * Identifies the log to which files belong.
 *
 * @param broker the id of the data directory
 * @param name the name of the log's directory
 */
public record LogIdentity(UUID broker, String name) {}
