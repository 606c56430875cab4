/**
 * Connections to brokers as a client: addresses as URIs, TLS, and many small writes made one. Built
 * on RabbitMQ's Java client.
 */
package io.mayflymq.shovel.client;
