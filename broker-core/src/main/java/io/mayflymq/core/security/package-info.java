/**
 * Who may do what: users and their password hashes, permissions on names, the SASL mechanisms that
 * clients log in with, and {@link io.mayflymq.core.security.AccessControl}, which answers for all
 * of it from an immutable state. The rules and texts are those of RabbitMQ 3.13's internal backend
 * (rabbitmq.com/docs/access-control).
 */
package io.mayflymq.core.security;
