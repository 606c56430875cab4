/** Virtual hosts: exchanges and queues in action. The top of the core. */
package io.mayflymq.core.vhost;
