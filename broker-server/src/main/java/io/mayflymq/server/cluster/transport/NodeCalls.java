package io.mayflymq.server.cluster.transport;

import java.util.concurrent.CompletableFuture;

/**
 * Requests between the nodes of a cluster, which are answered. Any thread may call; neither method
 * blocks.
 */
public interface NodeCalls {
  /**
   * Sends a request to a node.
   *
   * @param node the name of the node, such as {@code a@host}
   * @param service which service of the node answers
   * @param timeoutMillis how long to wait for the answer, 1 or more
   * @return the answer; fails with {@link NodeUnreachableException} if the node cannot be reached,
   *     the connection is lost, or no answer arrives in time, and with {@link NodeCallException} if
   *     the service failed. After a failure the request may have been carried out.
   */
  CompletableFuture<byte[]> call(
      String node, CallService service, byte[] request, long timeoutMillis);

  /** Sets what answers the requests for a service. At most once for each service. */
  void serve(CallService service, CallHandler handler);
}
