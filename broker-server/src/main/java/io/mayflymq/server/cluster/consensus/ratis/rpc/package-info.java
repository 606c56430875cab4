/** How Ratis sends its messages, and counts: by requests between nodes, and not at all. */
package io.mayflymq.server.cluster.consensus.ratis.rpc;
