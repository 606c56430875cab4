/** The home node's side of a link: what other nodes do with queues of this one. */
package io.mayflymq.core.vhost.link;
