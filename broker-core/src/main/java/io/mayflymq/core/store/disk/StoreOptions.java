package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.nio.file.Path;

/**
 * The settings of a broker's stores.
 *
 * @param directory the parent of the shards' directories
 * @param shards how many shards there are
 * @param memoryBytes how much memory the messages of all queues may take, before contents are kept
 *     in files only
 * @param contents where contents in memory are
 * @param segmentBytes the size of a log's segments
 * @param sync what commits wait for
 * @param acceptsLoss whether a start continues without messages whose files are missing
 */
public record StoreOptions(
    Path directory,
    int shards,
    long memoryBytes,
    BlockMemory contents,
    int segmentBytes,
    Sync sync,
    boolean acceptsLoss) {}
