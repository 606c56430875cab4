/** How two nodes of a cluster prove to each other who they are, before anything else is read. */
package io.mayflymq.server.cluster.transport.handshake;
