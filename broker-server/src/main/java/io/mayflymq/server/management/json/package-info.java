/** JSON of the API about queues, connections and messages. */
package io.mayflymq.server.management.json;
