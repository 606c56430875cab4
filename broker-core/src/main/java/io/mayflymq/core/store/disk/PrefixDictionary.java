package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The prefixes of contents, each kept as long as it is recent or in use. Used by one thread.
 *
 * <p>The headers are near the front of the properties, and make up most of their length. Messages
 * of one publisher mostly have the same headers, and dead letters of one queue and second have 400
 * equal bytes that describe their death: more than most messages have of their own. So a content
 * that begins like another recent one is stored without that beginning.
 *
 * <p>The recent prefixes are found by the routing key, a few for each slot. A new one replaces
 * another when messages arrived for which no prefix covers most of their properties: the very first
 * at once, others after some such messages, and after more and more of them as long as the prefixes
 * added last have not been used. So if all messages differ, hardly any prefix is stored.
 */
final class PrefixDictionary {
  static final int NONE = -1;

  /** The shortest useful prefix, in bytes. */
  static final int SHORTEST = 64;

  private static final int LONGEST = 4096;
  private static final int SETS = 16;
  private static final int WAYS = 4;

  /** After how many messages without a prefix one of them is added, at least. */
  private static final int LEAST_PATIENCE = 8;

  private static final int MOST_PATIENCE = 1024;

  /** A prefix that was used this often was worth adding. */
  private static final int USEFUL = 8;

  private final Prefix[] recent = new Prefix[SETS * WAYS];
  private final int[] misses = new int[SETS];
  private final int[] patience = new int[SETS];
  private final List<Prefix> all = new ArrayList<>();
  private final BitSet unused = new BitSet();
  private long bytes;
  private int shared;

  private static final class Prefix {
    private final byte[] bytes;
    private final int number;
    private boolean recent = true;
    private int users;

    /** How often it covered most of a message's properties, recently. */
    private int hits;

    /** Whether it was worth adding. */
    private boolean paid;

    Prefix(byte[] bytes, int number) {
      this.bytes = bytes;
      this.number = number;
    }

    void hit() {
      hits++;
      paid |= hits >= USEFUL;
    }
  }

  /** How many bytes are kept here. */
  long bytes() {
    return bytes;
  }

  /**
   * Finds a prefix of a message's content.
   *
   * @return its number, or {@link #NONE}; {@link #shared} returns how many bytes are equal
   */
  int find(Message message) {
    int length = Math.min(message.propertiesLength(), LONGEST);
    if (length < SHORTEST) {
      return NONE;
    }
    int set = message.routingKey().hashCode() & SETS - 1;
    Prefix best = best(set, message.content(), length);
    if (shared >= length - length / 4) {
      best.hit();
    } else if (misses[set]++ >= patience[set]) {
      best = remember(set, Arrays.copyOf(message.content(), length));
      shared = length;
    }
    return shared < SHORTEST ? NONE : best.number;
  }

  /** Returns how many bytes of the content of the last message are equal to the prefix found. */
  int shared() {
    return shared;
  }

  private Prefix best(int set, byte[] content, int length) {
    Prefix best = null;
    shared = 0;
    for (int i = set * WAYS; i < set * WAYS + WAYS && shared < length; i++) {
      Prefix prefix = recent[i];
      if (prefix != null) {
        int most = Math.min(prefix.bytes.length, length);
        int differs = Arrays.mismatch(prefix.bytes, 0, most, content, 0, most);
        int same = differs < 0 ? most : differs;
        if (same > shared) {
          shared = same;
          best = prefix;
        }
      }
    }
    return best;
  }

  private Prefix remember(int set, byte[] beginning) {
    int number = unused.nextSetBit(0);
    Prefix prefix = new Prefix(beginning, number < 0 ? all.size() : number);
    if (number < 0) {
      all.add(prefix);
    } else {
      all.set(number, prefix);
      unused.clear(number);
    }
    bytes += beginning.length;
    int place = leastUseful(set);
    Prefix former = recent[place];
    recent[place] = prefix;
    misses[set] = 0;
    boolean pays = former == null || former.paid;
    patience[set] = pays ? LEAST_PATIENCE : Math.min(MOST_PATIENCE, 2 * patience[set]);
    if (former != null) {
      former.recent = false;
      forgetIfUnused(former);
    }
    age(set);
    return prefix;
  }

  private int leastUseful(int set) {
    int least = set * WAYS;
    for (int i = least; i < set * WAYS + WAYS; i++) {
      if (recent[i] == null) {
        return i;
      }
      if (recent[i].hits < recent[least].hits) {
        least = i;
      }
    }
    return least;
  }

  /** Reduces the counts, so that uses long ago do not count for ever. */
  private void age(int set) {
    for (int i = set * WAYS; i < set * WAYS + WAYS; i++) {
      if (recent[i] != null) {
        recent[i].hits /= 2;
      }
    }
  }

  private void forgetIfUnused(Prefix prefix) {
    if (!prefix.recent && prefix.users == 0) {
      all.set(prefix.number, null);
      unused.set(prefix.number);
      bytes -= prefix.bytes.length;
    }
  }

  /** Counts a content that is stored without this prefix. */
  void retain(int number) {
    all.get(number).users++;
  }

  /** Counts off such a content, which was released. */
  void release(int number) {
    Prefix prefix = all.get(number);
    prefix.users--;
    forgetIfUnused(prefix);
  }

  /** Copies the first bytes of a prefix to the beginning of a content. */
  void copy(int number, byte[] content, int length) {
    System.arraycopy(all.get(number).bytes, 0, content, 0, length);
  }
}
