/** What RabbitMQ 4 advises against or took away, whether it may be used here, and whether it is. */
package io.mayflymq.core.deprecation;
