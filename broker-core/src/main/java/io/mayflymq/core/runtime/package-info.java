/**
 * Threads and time: the shard, which is the only writer of its queues, and its timers; the one
 * place where threads are made, caches of a bounded number of entries, and what is done about
 * exceptions that should not be.
 */
package io.mayflymq.core.runtime;
