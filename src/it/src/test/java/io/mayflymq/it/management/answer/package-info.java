/** The shapes of the answers of the management API, beside those of RabbitMQ. */
package io.mayflymq.it.management.answer;
