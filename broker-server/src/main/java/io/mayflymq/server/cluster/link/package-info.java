/** Links between nodes for queues, on the connections of the transport. */
package io.mayflymq.server.cluster.link;
