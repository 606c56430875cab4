/** Channels: publishing, contents, transactions, and the order of commands. */
package io.mayflymq.it.channel;
