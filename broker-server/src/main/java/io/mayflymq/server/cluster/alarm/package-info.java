/** Resource alarms of nodes, which block publishers on all nodes of a cluster. */
package io.mayflymq.server.cluster.alarm;
