/**
 * The data types of AMQP 0-9-1 that a broker without sockets needs as well: reply codes and the two
 * scopes of error, field tables, short strings and message properties. Free of Netty.
 */
package io.mayflymq.protocol.types;
