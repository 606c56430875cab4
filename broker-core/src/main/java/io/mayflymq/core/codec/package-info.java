/** How messages and commands are written as bytes for other nodes and for copies of queues. */
package io.mayflymq.core.codec;
