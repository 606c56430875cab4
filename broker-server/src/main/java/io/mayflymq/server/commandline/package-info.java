/** The command line: what the arguments mean, and the exit codes that scripts see. */
package io.mayflymq.server.commandline;
