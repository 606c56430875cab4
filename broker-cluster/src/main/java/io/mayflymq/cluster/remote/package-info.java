/** Queues of other nodes: what stands for them on this one, and its side of the links. */
package io.mayflymq.cluster.remote;
