package io.mayflymq.core.queue;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;

/**
 * A consumer of a queue. Its mutable state belongs to the queue's shard; the final fields may be
 * read by any thread.
 *
 * <p>Messages of {@code basic.get} are settled through such an object, too; it is never in the
 * rotation.
 */
public final class Consumer {
  /** The argument of {@code basic.consume} that gives a consumer its priority: an integer. */
  public static final String PRIORITY = "x-priority";

  /**
   * The argument of {@code basic.consume} that says how long its deliveries may stay
   * unacknowledged: an integer, in ms.
   */
  public static final String TIMEOUT = "x-consumer-timeout";

  /**
   * The argument of {@code basic.consume} by which messages come with the time that they have left
   * as their {@code expiration}: a truth value.
   */
  public static final String TIME_LEFT = "x-time-left";

  private final ShortString tag;
  private final boolean acknowledges;
  private final boolean exclusive;
  private final int prefetch;
  private final FieldTable arguments;
  private final ConsumerTarget outlet;
  private final long priority;
  private final long timeoutMillis;
  private final boolean wantsTimeLeft;

  private final ConsumerRates rates = new ConsumerRates();
  private int unacked;

  /** How many messages it may have unacknowledged by its own limit and that of the queue. */
  private int limit;

  /** Whether it is in the rotation of consumers that can take a message. */
  boolean inRound;

  /** Its neighbours there. */
  Consumer before;

  Consumer after;

  /**
   * Whether it gets messages in its turn: true for every consumer, or only for the single active
   * one.
   */
  boolean active;

  /** Whether its channel had no room when last asked. */
  public boolean blocked;

  /** Whether it was cancelled; its deliveries may still be settled. */
  boolean cancelled;

  /**
   * Describes a consumer.
   *
   * @param tag its consumer tag
   * @param outlet receives its messages
   */
  public Consumer(ShortString tag, ConsumeOptions options, ConsumerTarget outlet) {
    this.tag = tag;
    this.acknowledges = options.acknowledges();
    this.exclusive = options.exclusive();
    this.prefetch = acknowledges ? options.prefetch() : 0;
    this.limit = prefetch;
    this.arguments = options.arguments();
    this.outlet = outlet;
    this.priority = integer(PRIORITY, 0);
    this.timeoutMillis = integer(TIMEOUT, QueueSettings.NONE);
    this.wantsTimeLeft = FieldValue.Bool.TRUE.equals(arguments.get(TIME_LEFT));
  }

  /** Returns what messages of {@code basic.get} are settled through. */
  public static Consumer ofGet() {
    return new Consumer(ShortString.EMPTY, ConsumeOptions.DEFAULT, null);
  }

  private long integer(String argument, long absent) {
    FieldValue value = arguments.get(argument);
    return value == null || !value.isInteger() ? absent : value.longValue();
  }

  /** The consumer tag, unique in its channel. */
  public ShortString tag() {
    return tag;
  }

  /** Returns what it was made with, for one that takes its place. */
  public ConsumeOptions options() {
    return new ConsumeOptions(acknowledges, exclusive, prefetch, arguments);
  }

  /** Whether its messages stay unacknowledged until they are settled. */
  public boolean acknowledges() {
    return acknowledges;
  }

  /** Whether it must be the queue's only consumer. */
  public boolean exclusive() {
    return exclusive;
  }

  /** How many messages it may have unacknowledged; 0 for no limit. */
  public int prefetch() {
    return prefetch;
  }

  /** The arguments of {@code basic.consume}. */
  public FieldTable arguments() {
    return arguments;
  }

  /**
   * Its priority among the queue's consumers, from the argument {@value #PRIORITY}; 0 by default.
   */
  public long priority() {
    return priority;
  }

  /**
   * Returns how long its deliveries may stay unacknowledged, in ms: by its argument, or else by the
   * settings of its queue; {@link QueueSettings#NONE} if neither says it.
   */
  public long timeoutMillis(QueueSettings ofQueue) {
    return timeoutMillis == QueueSettings.NONE
        ? ofQueue.deliveries().timeoutMillis()
        : timeoutMillis;
  }

  /** Returns whether messages are to tell how long they have left. */
  boolean wantsTimeLeft() {
    return wantsTimeLeft;
  }

  /** Returns what receives its messages. */
  public ConsumerTarget outlet() {
    return outlet;
  }

  /** Returns how many messages it gets and acknowledges per second. */
  public ConsumerRates rates() {
    return rates;
  }

  /** Returns how many of its messages are unacknowledged. */
  public int unacked() {
    return unacked;
  }

  /**
   * Whether it gets messages in its turn: true for every consumer, or only for the single active
   * one.
   */
  public boolean active() {
    return active;
  }

  public void delivered() {
    unacked++;
  }

  public void settled(int count) {
    unacked -= count;
  }

  public boolean mayJoinRound() {
    return !inRound && !blocked && !cancelled && hasCredit();
  }

  /** Bounds how many messages it may have unacknowledged; 0 for its own limit only. */
  void bound(int most) {
    limit = !acknowledges || most == 0 || (prefetch > 0 && prefetch < most) ? prefetch : most;
  }

  boolean hasCredit() {
    return limit == 0 || unacked < limit;
  }
}
