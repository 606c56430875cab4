/** The load that Java observes when an archive of classes or an ahead-of-time cache is made. */
package io.mayflymq.server.training;
