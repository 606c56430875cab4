/** TLS: keys and certificates from PEM files, read again when they change. */
package io.mayflymq.server.tls;
