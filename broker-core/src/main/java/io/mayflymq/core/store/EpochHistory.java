package io.mayflymq.core.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Which epochs a log has seen, by the first burst of each. By it two replicas find out up to where
 * their logs are the same, without comparing bursts. Immutable.
 *
 * <p>Source: Kafka, KIP-101, "Alter Replication Protocol to use Leader Epoch rather than High
 * Watermark for Truncation".
 *
 * @param starts the first burst of each epoch, in order
 */
public record EpochHistory(List<BurstId> starts) {
  /** The history of an empty log. */
  public static final EpochHistory NONE = new EpochHistory(List.of());

  /** What {@link #agreement} returns when the histories do not reach back so far. */
  public static final long UNKNOWN = -1;

  /** How many epochs are kept; a replica that needs earlier ones takes over everything. */
  private static final int MOST_EPOCHS = 256;

  public EpochHistory {
    starts = List.copyOf(starts);
  }

  /**
   * Returns the history with another epoch.
   *
   * @param first its first burst, behind those that are there
   * @throws IllegalArgumentException if a later epoch or burst is there already
   */
  public EpochHistory with(BurstId first) {
    if (!starts.isEmpty()) {
      BurstId last = starts.get(starts.size() - 1);
      if (last.epoch() == first.epoch()) {
        return this;
      }
      if (last.epoch() > first.epoch() || last.number() >= first.number()) {
        throw new IllegalArgumentException(first + " behind " + last);
      }
    }
    List<BurstId> longer = new ArrayList<>(starts);
    longer.add(first);
    return new EpochHistory(
        longer.subList(Math.max(0, longer.size() - MOST_EPOCHS), longer.size()));
  }

  /** Returns the history of a log that ends with this burst. */
  public EpochHistory cutAfter(long number) {
    return new EpochHistory(starts.stream().filter(start -> start.number() <= number).toList());
  }

  /**
   * Returns the history without what is known of bursts before one: whether another log has them,
   * too, {@linkplain #agreement cannot be told} then.
   */
  public EpochHistory from(long number) {
    long epoch = epochOf(number);
    List<BurstId> later = new ArrayList<>();
    if (epoch > 0) {
      later.add(new BurstId(epoch, number));
    }
    starts.stream().filter(start -> start.number() > number).forEach(later::add);
    return new EpochHistory(later);
  }

  /** Returns the epoch of a burst; 0 if that is not known any more. */
  public long epochOf(long number) {
    long epoch = 0;
    for (BurstId start : starts) {
      if (start.number() <= number) {
        epoch = start.epoch();
      }
    }
    return epoch;
  }

  /** Returns the name of the last burst of a log by its number; {@link BurstId#NONE} for 0. */
  public BurstId last(long number) {
    return number == 0 ? BurstId.NONE : new BurstId(epochOf(number), number);
  }

  private long startOf(long epoch) {
    return starts.stream()
        .filter(start -> start.epoch() == epoch)
        .mapToLong(BurstId::number)
        .findFirst()
        .orElseThrow();
  }

  /**
   * Returns the number of the last burst that two logs have in common; 0 if there is none, {@link
   * #UNKNOWN} if that cannot be told.
   *
   * @param last the last burst of the log of this history
   * @param other the history of the other log
   * @param otherLast the last burst of the other log
   */
  public long agreement(long last, EpochHistory other, long otherLast) {
    long number = Math.min(last, otherLast);
    while (number > 0) {
      long here = epochOf(number);
      long there = other.epochOf(number);
      if (here == 0 || there == 0) {
        return UNKNOWN;
      }
      if (here == there) {
        return number;
      }
      // The log with the earlier epoch here has no burst of the later one.
      number = (here > there ? startOf(here) : other.startOf(there)) - 1;
    }
    return 0;
  }
}
