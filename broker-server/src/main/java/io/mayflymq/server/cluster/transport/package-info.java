/**
 * Connections between the nodes of a cluster: how two nodes prove to each other who they are,
 * frames (length, checksum, type, body), requests that are answered.
 */
package io.mayflymq.server.cluster.transport;
