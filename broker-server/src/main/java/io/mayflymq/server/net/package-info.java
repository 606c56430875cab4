/** The sockets: listening, accepting, and handing connections over. */
package io.mayflymq.server.net;
