/**
 * Replicated partitions of a cluster: proposals of their assignments, and elections of their
 * leaders.
 */
package io.mayflymq.server.cluster.replication;
