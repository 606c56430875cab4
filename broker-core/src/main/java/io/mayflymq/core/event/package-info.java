/**
 * What happens in a broker, for those who want to be told of it: {@link
 * io.mayflymq.core.event.BrokerEvents} is where it is said.
 */
package io.mayflymq.core.event;
