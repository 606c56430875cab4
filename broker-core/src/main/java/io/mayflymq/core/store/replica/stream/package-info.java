/**
 * The streams of a replicated partition, on each node that keeps it: files with what is committed,
 * and the log of the replica with what is not in the files yet.
 */
package io.mayflymq.core.store.replica.stream;
