/**
 * What outlives a restart besides messages: virtual hosts, policies, exchanges, queues and
 * bindings, as a log of commands.
 */
package io.mayflymq.core.metadata;
