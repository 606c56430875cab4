package io.mayflymq.it.cluster.fault;

import io.mayflymq.it.rounds.Stream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/*
 * A message must be there after a fault if it was confirmed and no consumer has settled it. It must not be there if it was settled, the queue's node
 * had answered a request that was sent behind the settlement on the same channel, and more than a second, or as much as the slowest confirm has taken,
 * went by until the fault. Of others the clients cannot know. What they find is the truth for the rounds that follow.
 *
 * A message that was neither confirmed nor found may be on its way still, and may be found later.
 */
/** What clients know of the messages of one queue. Threads publish, consume and settle at once. */
final class MessageLedger implements Ledger {
  /** The time after which a settlement that the queue's node has read is safe. */
  private static final long SAFE_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * A node that is killed may not have written yet what it has just delivered: deliveries so near
   * to the beginning of a fault may be repeated without the flag.
   */
  private static final long UNFLAGGED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int NAMED_AT_MOST = 5;

  private final String queue;
  private final Map<Long, Fate> fates = new ConcurrentHashMap<>();

  /** When those were first delivered that came again without the flag. */
  private final Map<Long, Long> repeated = new ConcurrentHashMap<>();

  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicLong slowest = new AtomicLong();

  MessageLedger(String queue) {
    this.queue = queue;
  }

  /** What is known of a message; times are of {@link System#nanoTime}, 0 for not yet. */
  private static final class Fate {
    final long published = System.nanoTime();
    volatile boolean confirmed;
    volatile boolean settling;
    volatile long settled;
    long delivered;

    boolean mustBeThere() {
      return confirmed && !settling;
    }

    String told(long fault) {
      String settlement = settling ? "settled, not known to be safe" : "not settled";
      return "%s, %s"
          .formatted(
              confirmed ? "confirmed" : "not confirmed",
              settled == 0
                  ? settlement
                  : "settled %d ms before the fault".formatted((fault - settled) / 1_000_000));
    }
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public void publishing(long id, String client) {
    fates.put(id, new Fate());
  }

  @Override
  public void confirmed(long id) {
    Fate fate = fates.get(id);
    fate.confirmed = true;
    slowest.accumulateAndGet(System.nanoTime() - fate.published, Math::max);
  }

  /** Records a delivery: only the first one of a message may not be flagged. */
  @Override
  public void delivered(long id, boolean redelivered, String client) {
    Fate fate = fates.get(id);
    if (fate == null) {
      wrong.add(queue + ": message " + Stream.text(id) + " is back after it was settled");
      return;
    }
    if (redelivered) {
      return;
    }
    synchronized (fate) {
      if (fate.delivered == 0) {
        fate.delivered = System.nanoTime();
      } else {
        repeated.put(id, fate.delivered);
      }
    }
  }

  @Override
  public void settling(long id) {
    Fate fate = fates.get(id);
    if (fate != null) {
      fate.settling = true;
    }
  }

  @Override
  public void settled(long id) {
    Fate fate = fates.get(id);
    if (fate != null && fate.settled == 0) {
      fate.settled = System.nanoTime();
    }
  }

  /** Returns whether a message that must be there is not among these. */
  boolean lacks(Set<Long> found) {
    return fates.entrySet().stream()
        .anyMatch(fate -> fate.getValue().mustBeThere() && !found.contains(fate.getKey()));
  }

  /**
   * Compares with what is in the queue after a fault, and takes it as the truth from now on.
   *
   * @param found the messages in their order
   * @param fault the {@link System#nanoTime} at which the fault began
   * @return what is wrong; empty if nothing is
   */
  List<String> check(List<Long> found, long fault) {
    Map<Long, Long> counts =
        found.stream().collect(Collectors.groupingBy(id -> id, Collectors.counting()));
    List<Long> lost = new ArrayList<>();
    List<Long> back = new ArrayList<>();
    fates.forEach(
        (id, fate) -> {
          boolean there = counts.containsKey(id);
          if (!there && fate.mustBeThere()) {
            lost.add(id);
          } else if (there
              && fate.settled != 0
              && fault - fate.settled > SAFE_WITHIN_NANOS + slowest.get()) {
            back.add(id);
          }
        });
    report("lost", lost, fault);
    report("back after they were settled", back, fault);
    report(
        "there more than once",
        counts.keySet().stream().filter(id -> counts.get(id) > 1).toList(),
        fault);
    report(
        "delivered again, not as redelivered",
        repeated.keySet().stream()
            .filter(id -> Math.abs(repeated.get(id) - fault) > UNFLAGGED_WITHIN_NANOS)
            .toList(),
        fault);
    repeated.clear();
    checkOrder(found);
    takeAsTruth(counts.keySet());
    List<String> result = List.copyOf(wrong);
    wrong.clear();
    return result;
  }

  private void checkOrder(List<Long> found) {
    Map<Long, Long> last = new HashMap<>();
    for (long id : found) {
      Long before = last.put(Stream.numberOf(id), id);
      if (before != null && before > id) {
        wrong.add(
            "%s: message %s is behind %s".formatted(queue, Stream.text(id), Stream.text(before)));
        return;
      }
    }
  }

  private void takeAsTruth(Set<Long> found) {
    fates
        .entrySet()
        .removeIf(
            entry ->
                !found.contains(entry.getKey())
                    && (entry.getValue().confirmed || entry.getValue().settling));
    for (long id : found) {
      fates.computeIfPresent(
          id,
          (same, old) -> {
            Fate fate = new Fate();
            fate.confirmed = true;
            fate.delivered = old.delivered == 0 ? System.nanoTime() : old.delivered;
            return fate;
          });
    }
  }

  private void report(String what, Collection<Long> ids, long fault) {
    if (!ids.isEmpty()) {
      wrong.add(
          "%s: %d messages %s, such as %s"
              .formatted(
                  queue,
                  ids.size(),
                  what,
                  ids.stream().sorted().limit(NAMED_AT_MOST).map(id -> told(id, fault)).toList()));
    }
  }

  private String told(long id, long fault) {
    Fate fate = fates.get(id);
    return Stream.text(id) + " (" + (fate == null ? "unknown" : fate.told(fault)) + ")";
  }

  /** Returns how many messages were confirmed and not settled. */
  long mustBeThere() {
    return fates.values().stream().filter(Fate::mustBeThere).count();
  }
}
