package io.mayflymq.server.management.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The other nodes of the cluster, as the API asks them. Any thread may call. */
public interface NodeQuestions {
  /** Those of a broker that is alone. */
  NodeQuestions NONE =
      new NodeQuestions() {
        @Override
        public List<String> reachable() {
          return List.of();
        }

        @Override
        public CompletableFuture<NodeAnswer> ask(String node, NodeQuestion question, long millis) {
          return CompletableFuture.failedFuture(
              new IllegalStateException("this broker is alone, and does not know " + node));
        }
      };

  /** Returns the names of those that are there, without this one. */
  List<String> reachable();

  /**
   * Asks a node.
   *
   * @param millis how long it may take
   * @return fails if the node cannot be reached, or does not answer in time
   */
  CompletableFuture<NodeAnswer> ask(String node, NodeQuestion question, long millis);
}
