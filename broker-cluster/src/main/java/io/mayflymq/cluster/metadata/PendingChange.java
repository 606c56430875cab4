package io.mayflymq.cluster.metadata;

import java.util.concurrent.CompletableFuture;

/**
 * A change that this process has proposed, and whose turn has not come.
 *
 * @param unit what is proposed
 * @param origin what it comes from, for those who carry it out here
 * @param done completed when it is in force here
 */
record PendingChange(ChangeEntry.Unit unit, Object origin, CompletableFuture<Void> done) {}
