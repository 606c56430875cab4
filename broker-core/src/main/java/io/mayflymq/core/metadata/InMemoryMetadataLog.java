package io.mayflymq.core.metadata;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A log that keeps nothing: metadata are lost when the broker stops. */
public final class InMemoryMetadataLog implements MetadataLog {
  @Override
  public List<MetadataCommand> recover() {
    return List.of();
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public String failure() {
    return null;
  }

  @Override
  public void close() {}
}
