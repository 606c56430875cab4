package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import java.util.ArrayList;
import java.util.List;

/** What a queue did to the world in one command, in the terms of the test: messages by number. */
final class QueueLog {
  /**
   * A message went to a consumer.
   *
   * @param settlement whether it has to be settled
   * @param returns how often it came back, if that is reported
   */
  record Delivery(
      int consumer, int message, boolean settlement, boolean redelivered, long returns) {
    /** A message whose returns are not reported. */
    Delivery(int consumer, int message, boolean settlement, boolean redelivered) {
      this(consumer, message, settlement, redelivered, 0);
    }
  }

  /** A message died. */
  record Dead(int message, DeathReason reason, long atMillis) {}

  /** A persistent message was stored. */
  record Stored(int message, long deadlineMillis, long enqueuedAtMillis) {}

  /**
   * All of it. Order counts within each list, but for settlements, which are sorted: the log does
   * not mind theirs.
   */
  record Happenings(
      List<Delivery> deliveries,
      List<Dead> deaths,
      List<Stored> stored,
      List<Integer> settled,
      boolean leaseEnded) {}

  private final List<Delivery> deliveries = new ArrayList<>();
  private final List<Dead> deaths = new ArrayList<>();
  private final List<Stored> stored = new ArrayList<>();
  private final List<Integer> settled = new ArrayList<>();
  private boolean leaseEnded;

  void delivered(int consumer, int message, boolean settlement, boolean redelivered, long returns) {
    deliveries.add(new Delivery(consumer, message, settlement, redelivered, returns));
  }

  void died(int message, DeathReason reason, long atMillis) {
    deaths.add(new Dead(message, reason, atMillis));
  }

  void stored(int message, long deadlineMillis, long enqueuedAtMillis) {
    stored.add(new Stored(message, deadlineMillis, enqueuedAtMillis));
  }

  void settled(int message) {
    settled.add(message);
  }

  void leaseEnded() {
    leaseEnded = true;
  }

  /** How many have died for this reason since the last {@link #take}. */
  long deaths(DeathReason reason) {
    return deaths.stream().filter(dead -> dead.reason() == reason).count();
  }

  /** What has happened since the last call. */
  Happenings take() {
    Happenings happenings =
        new Happenings(
            List.copyOf(deliveries),
            List.copyOf(deaths),
            List.copyOf(stored),
            settled.stream().sorted().toList(),
            leaseEnded);
    deliveries.clear();
    deaths.clear();
    stored.clear();
    settled.clear();
    return happenings;
  }
}
