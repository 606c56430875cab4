package io.mayflymq.server.channel;

import java.util.TreeSet;

/**
 * The delivery tags of a channel whose messages were taken back from it. The client does not know
 * this, so its settlement of such a tag is ignored, once for each.
 *
 * <p>To bound the memory for a client that never settles them, only the newest tags are stored one
 * by one; below those, every tag that is not outstanding counts as taken back.
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

  /** Returns whether a tag that is not outstanding was taken back, and forgets it. */
  boolean settle(long tag) {
    return tags.remove(tag) || (tag > 0 && tag <= forgottenThrough);
  }

  /** Forgets all tags up to this one, as they are settled. */
  void settleThrough(long tag) {
    if (!tags.isEmpty()) {
      tags.headSet(tag, true).clear();
    }
  }
}
