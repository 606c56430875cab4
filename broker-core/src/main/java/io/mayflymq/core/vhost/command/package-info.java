/** Commands of connections on their way to partitions, in batches. */
package io.mayflymq.core.vhost.command;
