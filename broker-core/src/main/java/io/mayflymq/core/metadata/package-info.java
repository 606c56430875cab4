/**
 * What outlives a restart besides messages: virtual hosts, policies, exchanges, queues and
 * bindings, as a log of commands, kept on disk as a journal in two checked copies. {@link
 * io.mayflymq.core.metadata.BrokerEvents} is told of each change.
 */
package io.mayflymq.core.metadata;
