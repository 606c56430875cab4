/** The resources of the HTTP API about queues, exchanges, connections and the node. */
package io.mayflymq.server.management.resource;
