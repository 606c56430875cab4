/** The packed index of a queue: 16 to 32 bytes a message in pages that can leave memory. */
package io.mayflymq.core.queue.index;
