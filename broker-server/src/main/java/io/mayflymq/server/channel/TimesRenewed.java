package io.mayflymq.server.channel;

import java.util.HashMap;
import java.util.Map;

/**
 * How often the locks of a channel's deliveries were renewed that are unacknowledged. Used on the
 * connection's loop only.
 */
final class TimesRenewed {
  /** So many of settled deliveries may be kept. */
  private static final int FEW = 64;

  private final UnackedDeliveries unacked;
  private final Map<Long, Long> times = new HashMap<>(0);

  TimesRenewed(UnackedDeliveries unacked) {
    this.unacked = unacked;
  }

  /** Returns how often that of a delivery was. */
  long of(long tag) {
    return times.getOrDefault(tag, 0L);
  }

  /** That of a delivery is renewed once more. */
  void add(long tag) {
    if (times.size() > 2 * unacked.count() + FEW) {
      times.keySet().removeIf(each -> !unacked.contains(each));
    }
    times.merge(tag, 1L, Long::sum);
  }

  /** Returns of how many deliveries it is kept. */
  int size() {
    return times.size();
  }
}
