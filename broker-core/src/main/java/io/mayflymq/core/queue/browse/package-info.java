/** Looking at messages of a queue without taking them. */
package io.mayflymq.core.queue.browse;
