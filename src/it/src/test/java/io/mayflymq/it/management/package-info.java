/** The management API, with plain requests and with RabbitMQ's clients for it. */
package io.mayflymq.it.management;
