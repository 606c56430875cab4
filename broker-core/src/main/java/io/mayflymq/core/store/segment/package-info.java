/**
 * The durable log of a partition: one append-only sequence of records, in files of bounded size
 * called segments, with a manifest that lists them and an index of what is settled in each. Start
 * at {@link io.mayflymq.core.store.segment.SegmentLog}.
 */
package io.mayflymq.core.store.segment;
