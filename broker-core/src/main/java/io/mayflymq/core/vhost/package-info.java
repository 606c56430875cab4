/**
 * Virtual hosts: how exchanges, queues, bindings and policies are declared; what a virtual host
 * publishes itself (events, traces), and direct reply-to. The top of the core.
 */
package io.mayflymq.core.vhost;
