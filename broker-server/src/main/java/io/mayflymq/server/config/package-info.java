/**
 * The configuration: {@link io.mayflymq.server.config.Configuration} reads and checks all sources,
 * {@link io.mayflymq.server.config.LiveConfiguration} is that of a running broker.
 *
 * <p>The keys are those of rabbitmq.conf where they mean the same. {@link
 * io.mayflymq.server.config.Keys} declares each of them once; the file format, the environment, the
 * command line, the errors and the sample configuration all read that declaration.
 */
package io.mayflymq.server.config;
