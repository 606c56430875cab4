/** Quorum queues of a cluster: what clients see of them, also when their leaders change. */
package io.mayflymq.it.cluster.quorum;
