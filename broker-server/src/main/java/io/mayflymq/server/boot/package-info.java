/** From the first line of main to a running broker, and from SIGTERM to the end of the process. */
package io.mayflymq.server.boot;
