/** The messages of a queue: where their contents are, and when they expire. */
package io.mayflymq.core.queue.messages;
