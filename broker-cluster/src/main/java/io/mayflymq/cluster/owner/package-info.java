/**
 * The side of a link of the node that owns a queue: what other nodes do with queues of this one.
 */
package io.mayflymq.cluster.owner;
