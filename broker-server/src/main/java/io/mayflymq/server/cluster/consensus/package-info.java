/** The agreement of a cluster's nodes on one sequence of entries, independent of what these are. */
package io.mayflymq.server.cluster.consensus;
