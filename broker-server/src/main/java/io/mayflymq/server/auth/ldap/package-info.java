/**
 * A directory that is asked by LDAP, with the keys and queries of RabbitMQ's
 * rabbitmq_auth_backend_ldap. {@link io.mayflymq.server.auth.ldap.LdapAuthService} answers
 * questions; {@link io.mayflymq.server.auth.ldap.LdapSession} is an attempt with one server, {@link
 * io.mayflymq.server.auth.ldap.LdapServers} has the servers and the connections that are open. No
 * class of it is loaded unless it is configured.
 */
package io.mayflymq.server.auth.ldap;
