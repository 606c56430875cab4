package io.mayflymq.server.channel;

import java.util.TreeSet;

/**
 * The delivery tags of a channel whose messages were taken back from it. The client cannot know, so
 * what it says of them afterwards is passed over, once for each.
 *
 * <p>So that a client that never says anything costs no more memory for ever, only the youngest are
 * remembered one by one; before those every tag that is not outstanding is taken for a lost one.
 */
final class RevokedTags {
  static final int MOST_REMEMBERED = 10_000;

  private final TreeSet<Long> tags = new TreeSet<>();
  private long forgottenThrough;

  void add(long tag) {
    tags.add(tag);
    if (tags.size() > MOST_REMEMBERED) {
      forgottenThrough = Math.max(forgottenThrough, tags.pollFirst());
    }
  }

  /** Whether a tag that is not outstanding is one of them; it is none any more afterwards. */
  boolean settle(long tag) {
    return tags.remove(tag) || (tag > 0 && tag <= forgottenThrough);
  }

  /** All tags up to this one are settled. */
  void settleThrough(long tag) {
    if (!tags.isEmpty()) {
      tags.headSet(tag, true).clear();
    }
  }
}
