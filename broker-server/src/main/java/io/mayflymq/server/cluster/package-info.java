/** The broker as a node of a cluster. Nothing of it is loaded by a broker that is alone. */
package io.mayflymq.server.cluster;
