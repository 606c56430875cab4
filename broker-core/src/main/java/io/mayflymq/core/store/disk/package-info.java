/**
 * Messages in files: the log of each partition, the contents that do not fit into memory, the pages
 * of those that do, and the directories of them all.
 */
package io.mayflymq.core.store.disk;
