package io.mayflymq.cluster.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The place in the log up to which all changes are in force. Any thread may call. */
final class AppliedPosition {
  private final NavigableMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();
  private long applied;

  AppliedPosition(long applied) {
    this.applied = applied;
  }

  void advance(long index) {
    List<CompletableFuture<Void>> reached;
    synchronized (this) {
      applied = Math.max(applied, index);
      var passed = waiting.headMap(applied, true);
      reached = new ArrayList<>(passed.values());
      passed.clear();
    }
    reached.forEach(each -> each.complete(null));
  }

  /** Returns what is done when all changes up to this place are in force. */
  synchronized CompletableFuture<Void> reached(long index) {
    return index <= applied
        ? CompletableFuture.completedFuture(null)
        : waiting.computeIfAbsent(index, place -> new CompletableFuture<>());
  }
}
