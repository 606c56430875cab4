package io.mayflymq.server.cluster.transport;

import java.util.concurrent.CompletableFuture;

/** Answers requests of other nodes. */
@FunctionalInterface
public interface CallHandler {
  /**
   * Answers a request. Called on an event loop, so it must not block.
   *
   * @param node the name of the node that asks, proven by its secret
   * @return the answer; if it fails, the caller is told the message of the exception
   */
  CompletableFuture<byte[]> answer(String node, byte[] request);
}
