/**
 * A service that is asked by HTTP about logins and rights, with RabbitMQ's requests and replies
 * (rabbitmq_auth_backend_http). No class of it is loaded unless it is configured.
 */
package io.mayflymq.server.auth.http;
