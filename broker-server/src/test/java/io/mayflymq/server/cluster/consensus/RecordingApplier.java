package io.mayflymq.server.cluster.consensus;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** State that is the list of all entries applied; it survives the restart of a node. */
public final class RecordingApplier implements EntryApplier {
  /** An entry with its position. */
  public record Applied(LogPosition position, String entry) {}

  private final Function<String, RecordingApplier> others;
  private final List<Applied> entries = new ArrayList<>();
  private int fetches;
  private CompletableFuture<Void> mayBeDurable = CompletableFuture.completedFuture(null);
  private CompletableFuture<Void> mayEndFetch = CompletableFuture.completedFuture(null);

  /**
   * Creates empty state.
   *
   * @param others returns the state of another node; throws if that cannot be reached
   */
  public RecordingApplier(Function<String, RecordingApplier> others) {
    this.others = others;
  }

  @Override
  public synchronized LogPosition applied() {
    return entries.isEmpty() ? null : entries.get(entries.size() - 1).position();
  }

  @Override
  public synchronized CompletableFuture<Void> apply(LogPosition position, byte[] entry) {
    LogPosition last = applied();
    if (last != null && (last.index() >= position.index() || last.term() > position.term())) {
      throw new IllegalStateException(position + " is applied behind " + last);
    }
    entries.add(new Applied(position, new String(entry, StandardCharsets.UTF_8)));
    return mayBeDurable;
  }

  @Override
  public CompletableFuture<LogPosition> fetchState(String leader) {
    try {
      List<Applied> state = others.apply(leader).entries();
      synchronized (this) {
        fetches++;
        entries.clear();
        entries.addAll(state);
        LogPosition fetched = applied();
        return mayEndFetch.thenApply(nothing -> fetched);
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** What is applied from now on is durable when the future is done. */
  synchronized void delayDurability(CompletableFuture<Void> until) {
    mayBeDurable = until;
  }

  /** State that is fetched from now on is there at once, but the fetch ends with the future. */
  synchronized void delayEndOfFetch(CompletableFuture<Void> until) {
    mayEndFetch = until;
  }

  /** Returns what was applied, in order. */
  public synchronized List<Applied> entries() {
    return new ArrayList<>(entries);
  }

  /** Returns how often the state was fetched. */
  public synchronized int fetches() {
    return fetches;
  }
}
