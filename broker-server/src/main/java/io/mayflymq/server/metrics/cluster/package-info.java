/** What a node of a cluster tells of the log of metadata, and of its replicas of partitions. */
package io.mayflymq.server.metrics.cluster;
