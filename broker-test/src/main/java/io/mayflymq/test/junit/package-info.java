/** The broker for tests as an extension of JUnit 5. */
package io.mayflymq.test.junit;
