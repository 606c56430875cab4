/**
 * Logging in by tokens of OAuth 2, which are JWTs (RFC 9068). A token has all rights of its user,
 * so nothing is asked once the keys of its provider are known. {@link
 * io.mayflymq.server.auth.oauth2.OAuthProviders} makes the backend of the chain, and what logs
 * users of the management page in. No class of it is loaded unless it is configured.
 *
 * <p>Source of the rules about scopes: rabbitmq_auth_backend_oauth2 of RabbitMQ 4.3.6.
 */
package io.mayflymq.server.auth.oauth2;
