/**
 * Questions to a directory about what a user may do, as RabbitMQ's configuration has them: {@link
 * io.mayflymq.server.auth.ldap.query.QueryReader} reads them, and {@link
 * io.mayflymq.server.auth.ldap.query.Query} says what they mean. It knows no LDAP: what they look
 * at is a {@link io.mayflymq.server.auth.ldap.query.Directory}.
 */
package io.mayflymq.server.auth.ldap.query;
