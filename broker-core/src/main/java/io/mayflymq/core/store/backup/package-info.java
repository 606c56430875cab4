/** Copies of the data directory of a running broker, at one point of time. See docs/backup.md. */
package io.mayflymq.core.store.backup;
