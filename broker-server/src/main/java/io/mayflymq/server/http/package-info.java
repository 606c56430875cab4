/** A small HTTP/1.1 server on Netty's codec, independent of the content it serves. */
package io.mayflymq.server.http;
