/**
 * Faults of the processes, disks and network of a cluster, under load. Each node is in a network
 * namespace of its own.
 */
package io.mayflymq.it.cluster.fault;
