/** Threads and time: the shard, which is the single writer of its queues, and its timers. */
package io.mayflymq.core.runtime;
