/** Channels: what a client does on one, method by method. */
package io.mayflymq.server.channel;
