/** Spreads the queues of a cluster evenly over its nodes. */
package io.mayflymq.server.management.rebalance;
