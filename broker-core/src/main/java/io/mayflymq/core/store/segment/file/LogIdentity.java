package io.mayflymq.core.store.segment.file;

import java.util.UUID;

/**
 * What tells the files of a log from those of another.
 *
 * @param broker the id of the data directory
 * @param name the name of the log's directory
 */
public record LogIdentity(UUID broker, String name) {}
