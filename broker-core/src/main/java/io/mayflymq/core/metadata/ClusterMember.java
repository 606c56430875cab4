package io.mayflymq.core.metadata;

import java.util.Objects;
import java.util.UUID;

/**
 * A node of a cluster.
 *
 * @param number what queues refer to; never given to another node
 * @param directory the id of its data directory, without which it is another node
 * @param name such as {@code mayfly@host}
 * @param address where other nodes reach it: host and port
 * @param state whether it serves clients
 * @param version the highest version of changes that it knows, 1 to 127
 */
public record ClusterMember(
    int number, UUID directory, String name, String address, State state, int version) {
  /** What a node does in its cluster. */
  public enum State {
    /** Its membership has ended; it does not become a member again. */
    FORGOTTEN,
    /** Forgotten by nodes that were no majority, since the others were lost for ever. */
    LOST,
    /** A member that serves clients when it runs. */
    SERVING,
    /** A member in maintenance mode: it serves no clients, and no new queues are placed on it. */
    DRAINED
  }

  /** The largest number. */
  public static final int MAX_NUMBER = (1 << 10) - 1;

  public ClusterMember {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(state, "state");
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "member number %d: expected 0 to %d".formatted(number, MAX_NUMBER));
    }
  }

  /** Returns whether it was not forgotten. */
  public boolean isMember() {
    return state != State.FORGOTTEN && state != State.LOST;
  }

  /**
   * Returns whether the nodes that remained have gone on without it, though they were no majority.
   */
  public boolean isLost() {
    return state == State.LOST;
  }

  /** Returns whether it is in maintenance mode. */
  public boolean isDrained() {
    return state == State.DRAINED;
  }

  /** Returns the node in another state. */
  public ClusterMember in(State changed) {
    return new ClusterMember(number, directory, name, address, changed, version);
  }

  /** Returns the node with another name and address; its data stay. */
  public ClusterMember at(String changedName, String changedAddress) {
    return new ClusterMember(number, directory, changedName, changedAddress, state, version);
  }

  /** Returns the node with another release of the broker. */
  public ClusterMember knowing(int changedVersion) {
    return new ClusterMember(number, directory, name, address, state, changedVersion);
  }
}
