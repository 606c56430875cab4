/** What federation sees of the broker's exchanges and queues. */
package io.mayflymq.server.federation;
