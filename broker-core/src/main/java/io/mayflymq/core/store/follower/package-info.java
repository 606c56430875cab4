/** The queues of a replica that follows: no more than where their messages are in its log. */
package io.mayflymq.core.store.follower;
