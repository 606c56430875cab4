package io.mayflymq.server.cluster.transport;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What answers the requests of other nodes. Any thread may call. */
final class CallHandlers {
  private final String self;
  private final Map<Integer, CallHandler> byCode = new ConcurrentHashMap<>();

  CallHandlers(String self) {
    this.self = self;
  }

  void put(CallService service, CallHandler handler) {
    if (byCode.putIfAbsent(service.code(), handler) != null) {
      throw new IllegalStateException(service + " is served already");
    }
  }

  /** Answers a request; whatever the handler throws becomes the failure. */
  CompletableFuture<byte[]> answer(String node, int service, byte[] request) {
    CallHandler handler = byCode.get(service);
    if (handler == null) {
      return CompletableFuture.failedFuture(
          new NodeCallException("node %s does not serve requests %d".formatted(self, service)));
    }
    try {
      return handler.answer(node, request);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
