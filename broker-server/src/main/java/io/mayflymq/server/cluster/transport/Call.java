package io.mayflymq.server.cluster.transport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A request on its way. */
final class Call {
  private final CallService service;
  private final byte[] request;
  private final long timeoutMillis;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

  Call(CallService service, byte[] request, long timeoutMillis) {
    this.service = service;
    this.request = request;
    this.timeoutMillis = timeoutMillis;
  }

  CallService service() {
    return service;
  }

  byte[] request() {
    return request;
  }

  long timeoutMillis() {
    return timeoutMillis;
  }

  /** Completed on an event loop. */
  CompletableFuture<byte[]> answer() {
    return answer;
  }

  long remainingMillis() {
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return Math.max(timeoutMillis - passed, 0);
  }

  void unreachable(String node, String why) {
    answer.completeExceptionally(unreachableException(node, why));
  }

  static NodeUnreachableException unreachableException(String node, String why) {
    return new NodeUnreachableException("node " + node + " cannot be reached: " + why, null);
  }
}
