/**
 * A broker for tests of applications, in the JVM of the tests, with a clock that the tests move:
 * {@link io.mayflymq.test.MayflyBroker}. Its libraries are out of sight of the application.
 */
package io.mayflymq.test;
