package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.file.LogOptions.Sync;
import java.nio.file.Path;

/**
 * What can be set about the stores of a broker.
 *
 * @param directory where the shards have their directories
 * @param shards how many shards there are
 * @param memoryBytes how much memory the messages of all queues may take, before contents are kept
 *     in files only
 * @param slabBytes the size of the arrays in which contents are in memory, as {@link
 *     io.mayflymq.core.store.memory.ContentArena} says
 * @param segmentBytes the size of a log's segments
 * @param sync what commits wait for
 * @param acceptsLoss whether a start goes on without messages whose files are missing
 */
public record StoreOptions(
    Path directory,
    int shards,
    long memoryBytes,
    int slabBytes,
    int segmentBytes,
    Sync sync,
    boolean acceptsLoss) {}
