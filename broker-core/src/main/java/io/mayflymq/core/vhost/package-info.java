/**
 * Virtual hosts: how exchanges, queues, bindings and policies are declared. The top of the core.
 */
package io.mayflymq.core.vhost;
