/** Scheduled messages and the delayed exchange. */
package io.mayflymq.it.schedule;
