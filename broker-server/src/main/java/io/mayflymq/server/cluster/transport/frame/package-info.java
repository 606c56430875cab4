/** Frames between nodes: length, checksum, type, body. */
package io.mayflymq.server.cluster.transport.frame;
