/**
 * The durable log of a shard: one append-only sequence of records, in files of bounded size called
 * segments. Start at {@link io.mayflymq.core.store.segment.SegmentLog}.
 */
package io.mayflymq.core.store.segment;
