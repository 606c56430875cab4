/** {@code mayflyctl}: RabbitMQ's command line for operators, over the management HTTP API. */
package io.mayflymq.server.ctl;
