package io.mayflymq.server.cluster.consensus;

import java.util.UUID;

/**
 * A node that takes part in the consensus.
 *
 * @param id the UUID of its data directory: a node whose data was lost has another one, so it
 *     cannot vote as the node that it was
 * @param name the name of the node, such as {@code a@host}, by which others call it
 */
public record Member(UUID id, String name) {
  @Override
  public String toString() {
    return name;
  }
}
