/** The management HTTP API: RabbitMQ's paths, shapes and errors, and a few of our own. */
package io.mayflymq.server.management;
