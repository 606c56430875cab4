/**
 * Partitions: sets of queues with a log, memory pages, a death journal and dead letters of their
 * own. A shard, a thread, may do the work of several.
 */
package io.mayflymq.core.vhost.partition;
