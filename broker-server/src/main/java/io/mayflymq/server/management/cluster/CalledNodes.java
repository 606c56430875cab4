package io.mayflymq.server.management.cluster;

import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The other nodes of a cluster, over the connections between nodes.
 *
 * @param self the name of this node
 * @param cluster knows which nodes there are
 * @param calls reaches them
 */
public record CalledNodes(String self, Cluster cluster, NodeCalls calls) implements NodeQuestions {
  @Override
  public List<String> reachable() {
    return cluster.nodes().stream()
        .filter(Cluster.Peer::isReachable)
        .map(Cluster.Peer::name)
        .filter(name -> !name.equals(self))
        .toList();
  }

  @Override
  public CompletableFuture<NodeAnswer> ask(String node, NodeQuestion question, long millis) {
    return calls
        .call(node, CallService.MANAGEMENT, question.encode(), millis)
        .thenApply(NodeAnswer::decode);
  }
}
