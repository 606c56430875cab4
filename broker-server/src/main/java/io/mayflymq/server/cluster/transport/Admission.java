package io.mayflymq.server.cluster.transport;

import java.util.Optional;

/** Decides which nodes this one talks to. Called on event loops, so it must not block. */
public interface Admission {
  /** Returns the cluster that this node is a member of; empty if it is not a member of one yet. */
  Optional<String> clusterId();

  /**
   * Decides whether a node that has proven that it knows the secret is let in, or is talked to.
   *
   * @return empty if it is; otherwise why it is not, in one line, which the node is told and both
   *     sides log
   */
  Optional<String> refusal(NodeIdentity node);
}
