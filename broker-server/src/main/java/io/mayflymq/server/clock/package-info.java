/** A clock that is moved by hand, for tests of applications. */
package io.mayflymq.server.clock;
