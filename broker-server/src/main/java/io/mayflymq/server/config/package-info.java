/**
 * What an operator may set: the keys, the text that sets them, and the typed settings that come
 * out.
 *
 * <p>The keys are those of rabbitmq.conf where they mean the same. {@link
 * io.mayflymq.server.config.Keys} declares each of them once; the file format, the environment, the
 * command line, the errors and the sample configuration all read that declaration.
 */
package io.mayflymq.server.config;
