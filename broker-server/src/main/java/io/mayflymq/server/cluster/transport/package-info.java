/** Connections between the nodes of a cluster: handshake, frames, requests that are answered. */
package io.mayflymq.server.cluster.transport;
