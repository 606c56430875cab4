/** Contents of messages in memory that are no objects there. */
package io.mayflymq.core.store.memory;
