/** Events of a broker. {@link io.mayflymq.core.event.BrokerEvents} receives them. */
package io.mayflymq.core.event;
