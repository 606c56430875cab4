/** Connections: handshake, heartbeats, channels, and how each of them ends. */
package io.mayflymq.server.connection;
