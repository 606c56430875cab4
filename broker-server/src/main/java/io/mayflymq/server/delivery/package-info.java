/**
 * From queues to sockets: what a connection writes, and how a shard hands messages to a connection
 * of another loop.
 */
package io.mayflymq.server.delivery;
