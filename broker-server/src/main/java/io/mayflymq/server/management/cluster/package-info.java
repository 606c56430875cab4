/**
 * What the management API of a node asks the other nodes of its cluster, and how their answers
 * become one. A broker that is alone asks no other node: it answers with what it has.
 */
package io.mayflymq.server.management.cluster;
