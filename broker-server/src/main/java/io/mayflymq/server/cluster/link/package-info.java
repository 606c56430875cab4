/**
 * Links between nodes for queues and replicated partitions, on the connections of the transport.
 */
package io.mayflymq.server.cluster.link;
