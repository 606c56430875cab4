/**
 * The methods of AMQP 0-9-1 with RabbitMQ's extensions, as records with their codecs beside them,
 * for both directions. Fields bear the names of the specification; reserved ones are dropped.
 */
package io.mayflymq.protocol.method;
