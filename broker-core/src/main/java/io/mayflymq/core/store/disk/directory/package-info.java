/** The directories that hold the logs of stores, and the list of those that must exist. */
package io.mayflymq.core.store.disk.directory;
