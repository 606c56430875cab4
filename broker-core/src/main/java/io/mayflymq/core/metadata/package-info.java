/**
 * What outlives a restart besides messages: virtual hosts, exchanges, queues and bindings, as a log
 * of commands.
 */
package io.mayflymq.core.metadata;
