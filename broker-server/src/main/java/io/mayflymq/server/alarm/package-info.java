/** Alarms about memory, disk and faults, the monitors that raise them, and the listeners. */
package io.mayflymq.server.alarm;
