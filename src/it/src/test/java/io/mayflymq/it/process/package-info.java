/** The broker as a process: start, configuration, signals, and stop. */
package io.mayflymq.it.process;
