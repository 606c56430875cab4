package io.mayflymq.server.config;

import io.mayflymq.core.store.segment.LogOptions.Sync;

/**
 * How messages are kept.
 *
 * @param sync what a confirm of a persistent message waits for
 * @param segmentBytes the size of a file of the message log
 */
public record DurabilitySettings(Sync sync, int segmentBytes) {}
