package io.mayflymq.core.queue.index;

/**
 * The ready messages of one share on one level of priority: what gets a turn. Belongs to {@link
 * FairShares}.
 */
final class ShareGroup {
  /** A value of the header, or what messages without the header share. */
  static final class Share {
    /** Null for messages without the header. */
    final String value;

    /** What the index has with each of its messages. */
    final int id;

    /** How many messages it has, ready or not. */
    long messages;

    /** In how many rounds it is: one for each level on which it has ready messages. */
    int rounds;

    /** By level; null where it never had a ready message. */
    ShareGroup[] groups = {};

    Share(String value, int id) {
      this.value = value;
      this.id = id;
    }

    /** Returns how many of its messages are ready. */
    long ready() {
      long ready = 0;
      for (ShareGroup group : groups) {
        ready += group == null ? 0 : group.ready.size();
      }
      return ready;
    }
  }

  final Share share;
  final int level;
  final SequenceSet ready = new SequenceSet();

  /** Neighbours in the round of its level; null while it is in none. */
  ShareGroup previous;

  ShareGroup next;

  /** Where it is in {@link LargestShares}. */
  int place = LargestShares.NOWHERE;

  ShareGroup(Share share, int level) {
    this.share = share;
    this.level = level;
  }

  boolean isInRound() {
    return next != null;
  }
}
