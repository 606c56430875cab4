/** Contents of messages in memory, packed into large arrays. */
package io.mayflymq.core.store.memory;
