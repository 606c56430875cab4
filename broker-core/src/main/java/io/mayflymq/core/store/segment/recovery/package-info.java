/** Reading a message log at the start, or to check it. */
package io.mayflymq.core.store.segment.recovery;
