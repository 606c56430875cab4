/**
 * From the first line of main to a running broker, and from SIGTERM to the end of the process; the
 * command line with its exit codes; what the build runs: manual pages, completion scripts, and the
 * load that Java observes when an archive of classes or an ahead-of-time cache is made.
 */
package io.mayflymq.server.boot;
