/** Assertions about the broker for tests, in the style of AssertJ. */
package io.mayflymq.test.assertj;
