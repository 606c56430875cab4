/** Moving from RabbitMQ and back: definitions, shovels and federation. */
package io.mayflymq.it.moving;
