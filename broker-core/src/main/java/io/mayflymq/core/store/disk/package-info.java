/** Messages in files: each shard's log, and the contents that do not fit into memory. */
package io.mayflymq.core.store.disk;
