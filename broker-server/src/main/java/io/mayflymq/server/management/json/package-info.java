/** What the API shows of queues, connections and messages, as JSON. */
package io.mayflymq.server.management.json;
