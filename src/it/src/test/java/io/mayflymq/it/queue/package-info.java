/** Queues of all types: declaration, deletion, length limits, and browsing. */
package io.mayflymq.it.queue;
