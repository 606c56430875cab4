/**
 * Channels, the operations that their methods carry out, and the path from queues to sockets: the
 * output of a connection, and the links that pass messages to a connection on another loop.
 */
package io.mayflymq.server.channel;
