/**
 * What goes between two nodes for queues: frames, what is in them, and the port to the connection
 * that carries them.
 */
package io.mayflymq.cluster.link;
