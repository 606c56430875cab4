package io.mayflymq.cluster.simulation;

/** What the policies for the queues of one name may have done to messages. */
final class PolicyHistory {
  private static final int NONE = 0;
  private static final int ALL = Integer.MAX_VALUE;

  private int diedUpTo = NONE;
  private int droppedUpTo = NONE;

  /**
   * A policy is about to be set.
   *
   * @param limits whether messages may leave a queue by it, without a client's doing
   * @param limitsLength whether the number of messages is limited by it
   */
  void requested(boolean limits, boolean limitsLength) {
    if (limits) {
      diedUpTo = ALL;
    }
    if (limitsLength) {
      droppedUpTo = ALL;
    }
  }

  /** No node has any policy from now on, after so many messages were published. */
  void cleared(int published) {
    diedUpTo = Math.min(diedUpTo, published);
    droppedUpTo = Math.min(droppedUpTo, published);
  }

  /** Returns whether a message may have left by a policy. */
  boolean limits(int number) {
    return number < diedUpTo;
  }

  /** Returns whether a policy may have limited the number of messages when a message was there. */
  boolean limitsLength(int number) {
    return number < droppedUpTo;
  }
}
