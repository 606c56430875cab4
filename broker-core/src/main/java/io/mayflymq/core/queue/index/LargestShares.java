package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * Groups of ready messages, the largest one first; of equally large ones the one whose first
 * message is older. A heap in an array, in which each group knows its place: a message that comes
 * or goes moves its group by a few places at most. Belongs to {@link FairShares}.
 */
final class LargestShares {
  static final int NOWHERE = -1;

  private static final int SMALLEST = 8;

  private ShareGroup[] groups = new ShareGroup[SMALLEST];
  private int count;

  /** Returns the largest group; null if there is none. */
  ShareGroup first() {
    return count == 0 ? null : groups[0];
  }

  /** Called when a message of a group has come or gone. */
  void changed(ShareGroup group) {
    if (group.ready.isEmpty()) {
      remove(group);
      return;
    }
    if (group.place == NOWHERE) {
      if (count == groups.length) {
        groups = Arrays.copyOf(groups, count * 2);
      }
      group.place = count++;
    }
    down(up(group.place, group), group);
  }

  private void remove(ShareGroup group) {
    int place = group.place;
    if (place != NOWHERE) {
      group.place = NOWHERE;
      ShareGroup last = groups[--count];
      groups[count] = null;
      if (last != group) {
        down(up(place, last), last);
      }
    }
  }

  private int up(int start, ShareGroup group) {
    int place = start;
    while (place > 0 && precedes(group, groups[(place - 1) / 2])) {
      set(place, groups[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    set(place, group);
    return place;
  }

  private void down(int start, ShareGroup group) {
    int place = start;
    while (2 * place + 1 < count) {
      int child = 2 * place + 1;
      if (child + 1 < count && precedes(groups[child + 1], groups[child])) {
        child++;
      }
      if (!precedes(groups[child], group)) {
        break;
      }
      set(place, groups[child]);
      place = child;
    }
    set(place, group);
  }

  private void set(int place, ShareGroup group) {
    groups[place] = group;
    group.place = place;
  }

  static boolean precedes(ShareGroup group, ShareGroup other) {
    return precedes(
        group.ready.size(), group.ready.first(), other.ready.size(), other.ready.first());
  }

  /** Whether so many messages, the first of which has this number, are before others. */
  static boolean precedes(long size, long first, long otherSize, long otherFirst) {
    return size > otherSize || (size == otherSize && first < otherFirst);
  }
}
