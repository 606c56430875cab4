/** Connections: the handshake, frames, heartbeats, and closing. */
package io.mayflymq.it.connection;
