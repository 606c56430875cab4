package io.mayflymq.core.metadata;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Waits for the thread of another log, as the loops of a test may be used by one thread only. */
public record AwaitedLog(MetadataLog log) implements MetadataLog {
  @Override
  public List<MetadataCommand> recover() {
    return log.recover();
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    CompletableFuture<Void> safe = log.append(commands);
    safe.join();
    return safe;
  }

  @Override
  public String failure() {
    return log.failure();
  }

  @Override
  public void close() {
    log.close();
  }
}
