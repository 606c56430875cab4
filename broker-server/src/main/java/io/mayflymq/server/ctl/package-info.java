/**
 * {@code mayflyctl}: RabbitMQ's command line for operators, over the management HTTP API: the
 * commands in groups, the client of the API, and the formats of results.
 */
package io.mayflymq.server.ctl;
