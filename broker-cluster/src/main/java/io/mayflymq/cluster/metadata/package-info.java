/**
 * How the nodes of a cluster change their metadata alike: changes are proposed to a replicated log,
 * and each node carries out its entries in order. Which nodes keep which partition.
 */
package io.mayflymq.cluster.metadata;
