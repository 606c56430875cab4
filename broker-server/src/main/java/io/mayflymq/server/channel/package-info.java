/** Channels, and the operations that their methods carry out. */
package io.mayflymq.server.channel;
