/**
 * Logging in and authorization by a chain of backends (the keys {@code auth_backends.*}). {@link
 * io.mayflymq.server.auth.AuthChain} is what connections and the management API ask. A backend is
 * the broker itself ({@link io.mayflymq.server.auth.InternalBackend}), or a service elsewhere that
 * is asked ({@link io.mayflymq.server.auth.ServiceBackend}). No thread waits for an answer of
 * these.
 */
package io.mayflymq.server.auth;
