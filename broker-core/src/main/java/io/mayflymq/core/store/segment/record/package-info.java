/** The records of the message log and how they are encoded. */
package io.mayflymq.core.store.segment.record;
