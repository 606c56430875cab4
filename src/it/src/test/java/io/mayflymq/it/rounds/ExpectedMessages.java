package io.mayflymq.it.rounds;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/*
 * What the clients know of the messages that were published to one queue.
 *
 * A message is of three kinds when the broker is killed. It must be there: it was confirmed, and no consumer has settled it. It must not
 * be there: it was settled, the broker had answered something sent after that, and more than a second has passed since, or as much more as the slowest confirm has taken. About
 * the rest the clients cannot know. What they find after the restart then makes everything certain: what is there must stay, and
 * what is not there must never be seen again, which is why such messages are removed from the expected messages, and why a message that is not
 * among them is an error.
 */
/** The messages of one queue. Threads publish, hear confirms and settle at the same time. */
final class ExpectedMessages {
  /** How often a message may be found. */
  enum Copies {
    /** Once. */
    ONE,
    /** Several times, as it went from one shard to another; also after one of them was settled. */
    SEVERAL
  }

  /** The time after which a settlement that the broker has read is safe. */
  private static final long SETTLED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int NAMED_AT_MOST = 5;

  /** The longest that a confirm has taken in this run, in ns: how slow the disk is. */
  private static final AtomicLong SLOWEST = new AtomicLong();

  private final String name;
  private final Copies copies;
  private final boolean ordered;
  private final Map<Long, Fate> fates = new ConcurrentHashMap<>();
  private final Set<Long> strays = ConcurrentHashMap.newKeySet();
  private List<Long> lastFound = List.of();

  /**
   * Creates an empty instance.
   *
   * @param name for what it reports
   * @param ordered whether messages of a stream are found in the order of publishing
   */
  ExpectedMessages(String name, Copies copies, boolean ordered) {
    this.name = name;
    this.copies = copies;
    this.ordered = ordered;
  }

  /** What is known of a message; times are of {@link System#nanoTime}, 0 for not yet. */
  private static final class Fate {
    volatile long published = System.nanoTime();
    volatile long confirmed;
    volatile long settling;
    volatile long settled;

    boolean mustBeThere() {
      return confirmed != 0 && settling == 0;
    }

    boolean mustBeGone(long killed) {
      return settled != 0 && killed - settled >= SETTLED_WITHIN_NANOS + SLOWEST.get();
    }

    String told(long killed) {
      return "confirmed " + ago(confirmed, killed) + ", settled " + ago(settled, killed);
    }

    private static String ago(long time, long killed) {
      return time == 0 ? "never" : (killed - time) / 1_000_000 + " ms before the kill";
    }
  }

  /** Records how long a publisher has waited: settlements wait for the same forced write. */
  private static void waited(long nanos) {
    SLOWEST.accumulateAndGet(nanos, Math::max);
  }

  /** Records that a message is about to be published. */
  void publishing(long id) {
    fates.put(id, new Fate());
  }

  /** Records that the broker has confirmed a message. */
  void confirmed(long id) {
    Fate fate = fates.get(id);
    fate.confirmed = System.nanoTime();
    waited(fate.confirmed - fate.published);
  }

  /** Records that a message was delivered and is about to be acknowledged or rejected. */
  void settling(long id) {
    Fate fate = fates.get(id);
    if (fate == null || fate.settling != 0) {
      strays.add(id);
    } else {
      fate.settling = System.nanoTime();
    }
  }

  /** Records that the broker has answered a request that was sent after the settlement. */
  void settled(long id) {
    Fate fate = fates.get(id);
    if (fate != null) {
      fate.settled = System.nanoTime();
    }
  }

  /** Returns whether a message that must be in the queue is missing among these. */
  boolean lacks(List<Long> found) {
    Set<Long> ids = new HashSet<>(found);
    return fates.entrySet().stream()
        .anyMatch(fate -> fate.getValue().mustBeThere() && !ids.contains(fate.getKey()));
  }

  /**
   * Compares with what is there after a kill and a restart, and takes it as the truth from now on.
   *
   * @param found the messages in their order
   * @param killed the {@link System#nanoTime} of the kill
   * @return what is wrong; empty if all is well
   */
  List<String> check(List<Long> found, long killed, Tally tally) {
    fates.values().stream()
        .filter(fate -> fate.confirmed == 0)
        .forEach(fate -> waited(killed - fate.published));
    List<String> wrong = new ArrayList<>();
    Map<Long, Integer> counts = new HashMap<>();
    found.forEach(id -> counts.merge(id, 1, Integer::sum));
    List<Long> lost = new ArrayList<>();
    List<Long> back = new ArrayList<>();
    List<Long> doubled = new ArrayList<>();
    fates.forEach(
        (id, fate) -> {
          tally.count(fate.confirmed != 0, fate.settling != 0, fate.mustBeGone(killed));
          int count = counts.getOrDefault(id, 0);
          if (count == 0 && fate.mustBeThere()) {
            lost.add(id);
          } else if (count > 0 && fate.mustBeGone(killed) && copies == Copies.ONE) {
            back.add(id);
          } else if (count > 1 && copies == Copies.ONE) {
            doubled.add(id);
          } else if (count > 1) {
            tally.doubled(count - 1);
          }
        });
    List<Long> unknown = counts.keySet().stream().filter(id -> !fates.containsKey(id)).toList();
    report(wrong, "lost", lost, killed);
    report(wrong, "back after they were settled", back, killed);
    report(wrong, "there more than once", doubled, killed);
    if (copies == Copies.ONE) {
      report(wrong, "back from an earlier round", unknown, killed);
      report(wrong, "delivered after they were settled", strays, killed);
    }
    strays.clear();
    checkOrder(found, wrong);
    fates.keySet().retainAll(counts.keySet());
    fates.replaceAll((id, fate) -> certain(killed));
    lastFound = List.copyOf(found);
    return wrong;
  }

  private void checkOrder(List<Long> found, List<String> wrong) {
    if (!ordered) {
      return;
    }
    Map<Long, Long> last = new HashMap<>();
    for (long id : found) {
      Long before = last.put(Stream.numberOf(id), id);
      if (before != null && before > id && copies == Copies.ONE) {
        wrong.add(name + ": " + Stream.text(id) + " stands behind " + Stream.text(before));
        return;
      }
    }
    Set<Long> survivors = new HashSet<>(found);
    survivors.retainAll(new HashSet<>(lastFound));
    List<Long> then = lastFound.stream().filter(survivors::contains).toList();
    List<Long> now = found.stream().filter(survivors::contains).toList();
    if (copies == Copies.ONE && !then.equals(now)) {
      wrong.add(name + ": messages have changed places since the round before");
    }
  }

  private static Fate certain(long killed) {
    Fate fate = new Fate();
    fate.published = killed;
    fate.confirmed = killed;
    return fate;
  }

  private void report(List<String> wrong, String what, Collection<Long> ids, long killed) {
    if (!ids.isEmpty()) {
      List<String> some =
          ids.stream()
              .sorted()
              .limit(NAMED_AT_MOST)
              .map(id -> Stream.text(id) + told(id, killed))
              .toList();
      wrong.add(name + ": " + ids.size() + " messages " + what + ", such as " + some);
    }
  }

  private String told(long id, long killed) {
    Fate fate = fates.get(id);
    return fate == null ? "" : " (" + fate.told(killed) + ")";
  }
}
