/**
 * Exchanges of RabbitMQ's JMS client: which messages the selectors of its consumers let through.
 */
package io.mayflymq.core.routing.jms;
