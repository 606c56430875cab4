/**
 * The messages of a queue and their orders: a packed index of 16 to 32 bytes a message, in pages
 * that can leave memory; where the contents are; which message expires next, and which is delivered
 * next where priorities count.
 */
package io.mayflymq.core.queue.index;
