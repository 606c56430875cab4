/**
 * What goes between two nodes for queues: frames, how messages are written into them, and the port
 * to the connection that carries them.
 */
package io.mayflymq.core.link;
