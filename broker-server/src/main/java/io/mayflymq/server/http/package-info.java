/** A small HTTP/1.1 server on Netty's codec; it knows nothing of what it serves. */
package io.mayflymq.server.http;
