/** Changes which nodes keep and lead quorum queues. */
package io.mayflymq.server.management.replica;
