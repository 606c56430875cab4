/** Alarms about memory, disk and faults, the monitors that raise them, and who is told. */
package io.mayflymq.server.alarm;
