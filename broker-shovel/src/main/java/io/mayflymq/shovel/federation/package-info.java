/** Federation: exchanges and queues that get messages of those of other brokers. */
package io.mayflymq.shovel.federation;
