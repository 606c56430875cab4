/** What is done about exceptions that should not be, and the one place where threads are made. */
package io.mayflymq.core.fault;
