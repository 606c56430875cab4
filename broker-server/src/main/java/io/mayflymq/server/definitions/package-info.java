/**
 * Definitions: all that administrators and applications have declared, as a document in RabbitMQ's
 * JSON format (rabbitmq.com/docs/definitions), to be exported and imported.
 */
package io.mayflymq.server.definitions;
