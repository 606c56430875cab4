package io.mayflymq.cluster.link;

/**
 * The versions of the frames on a link. The highest that both nodes know is in use: a node writes
 * nothing that the other one does not know.
 */
public final class LinkVersion {
  /** The first one. */
  public static final int FIRST = 1;

  /** A delivery has the time that its message has left; {@link LinkFrame#RECALL} is known. */
  public static final int OF_DEADLINES = 2;

  /**
   * A subscription and its answer have the {@link ConsumerRank}; {@link LinkFrame#REJOINED} and
   * {@link LinkFrame#ACTIVE} are known.
   */
  public static final int OF_RANKS = 3;

  /** {@link LinkFrame#STALLED} and {@link LinkFrame#GOES_ON} are known. */
  public static final int OF_STALLS = 4;

  /** The highest one that this broker knows. */
  public static final int HIGHEST = OF_STALLS;

  private LinkVersion() {}
}
