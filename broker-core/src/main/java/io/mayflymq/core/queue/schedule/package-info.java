/** Messages that wait for their time before they enter a queue. */
package io.mayflymq.core.queue.schedule;
