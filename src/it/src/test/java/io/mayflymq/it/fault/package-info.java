/** Faults of disk, memory, files and threads, and the alarms that they raise. */
package io.mayflymq.it.fault;
