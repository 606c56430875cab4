package io.mayflymq.server.cluster.transport;

/**
 * The versions of the protocol between nodes that a node knows.
 *
 * @param lowest 1 to 65535
 * @param highest the same or higher
 */
public record VersionRange(int lowest, int highest) {
  /**
   * The ones that this build knows. What each of them has brought is in {@link
   * io.mayflymq.cluster.link.LinkVersion}.
   */
  public static final VersionRange KNOWN = new VersionRange(1, 4);

  /** Returns the highest version that both know; 0 if there is none. */
  public int common(VersionRange other) {
    int common = Math.min(highest, other.highest);
    return common >= Math.max(lowest, other.lowest) ? common : 0;
  }

  @Override
  public String toString() {
    return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
  }
}
