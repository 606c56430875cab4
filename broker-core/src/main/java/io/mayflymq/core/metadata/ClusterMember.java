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
 * @param isMember false after it was forgotten
 */
public record ClusterMember(
    int number, UUID directory, String name, String address, boolean isMember) {
  /** The largest number. */
  public static final int MAX_NUMBER = (1 << 10) - 1;

  public ClusterMember {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(address, "address");
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "member number %d: expected 0 to %d".formatted(number, MAX_NUMBER));
    }
  }

  /** Returns the node after it was forgotten. */
  public ClusterMember forgotten() {
    return new ClusterMember(number, directory, name, address, false);
  }

  /** Returns the node with another name and address; its data stay. */
  public ClusterMember at(String changedName, String changedAddress) {
    return new ClusterMember(number, directory, changedName, changedAddress, isMember);
  }
}
