/** Threads and time: the shard, which is the only writer of its queues, and its timers. */
package io.mayflymq.core.runtime;
