package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.OtherNodes;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Waits until changes are in force on the nodes that can be reached. A node that does not answer in
 * time is not waited for again until it has answered, so that it delays one change and not all.
 */
final class ReachableNodes implements OtherNodes {
  private static final long LIMIT_MILLIS = 1_000;
  private static final long ANSWER_MILLIS = 60_000;

  private final NodeCalls calls;
  private final Supplier<Collection<String>> names;
  private final Set<String> late = ConcurrentHashMap.newKeySet();

  /**
   * @param names the names of the other members that can be reached
   */
  ReachableNodes(NodeCalls calls, Supplier<Collection<String>> names) {
    this.calls = calls;
    this.names = names;
  }

  @Override
  public CompletableFuture<Void> await(long index) {
    return CompletableFuture.allOf(
        names.get().stream()
            .filter(node -> !late.contains(node))
            .map(node -> await(node, index))
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> await(String node, long index) {
    byte[] request = ByteBuffer.allocate(Long.BYTES).putLong(index).array();
    CompletableFuture<Void> answered = new CompletableFuture<>();
    calls
        .call(node, CallService.APPLIED, request, ANSWER_MILLIS)
        .whenComplete(
            (answer, failure) -> {
              answered.complete(null);
              late.remove(node);
            });
    return answered
        .copy()
        .completeOnTimeout(null, LIMIT_MILLIS, TimeUnit.MILLISECONDS)
        .thenRun(
            () -> {
              late.add(node);
              if (answered.isDone()) {
                late.remove(node);
              }
            });
  }

  /**
   * Reads what another node asks.
   *
   * @return the place in the log that it waits for
   * @throws IllegalArgumentException if that is no request
   */
  static long index(byte[] request) {
    if (request.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "a request of %d bytes: expected %d".formatted(request.length, Long.BYTES));
    }
    return ByteBuffer.wrap(request).getLong();
  }
}
