/** Messages that the broker itself publishes: events and traces. */
package io.mayflymq.core.vhost.event;
