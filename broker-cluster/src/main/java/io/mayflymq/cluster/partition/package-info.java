/**
 * Replicated partitions on one node: their replicas, and the queues behind them while this node
 * leads.
 */
package io.mayflymq.cluster.partition;
