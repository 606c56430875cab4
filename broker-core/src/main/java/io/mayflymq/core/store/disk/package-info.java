/** Messages in files: each shard's log, and the contents for which memory has no room. */
package io.mayflymq.core.store.disk;
