package io.mayflymq.core.queue.index;

import java.util.SortedMap;

/**
 * How many ready messages a queue with priorities has of each.
 *
 * @param ready by priority, as the queue tells priorities apart; those without messages are left
 *     out
 * @param returned how many of all these are before others of their priority, because consumers have
 *     returned them
 */
public record PriorityCounts(SortedMap<Integer, Long> ready, long returned) {}
