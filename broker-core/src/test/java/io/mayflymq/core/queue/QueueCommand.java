package io.mayflymq.core.queue;

import static net.jqwik.api.Arbitraries.frequencyOf;
import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.just;
import static net.jqwik.api.Arbitraries.longs;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Backoff;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.policy.RetryType;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * What may be done to a queue. A {@code pick} chooses among what is there when the command is run.
 */
sealed interface QueueCommand {
  /**
   * Publishes a message.
   *
   * @param deadlineIn in how many ms the deadline of its header is over; {@link #NO_DEADLINE} for
   *     none
   * @param tenant which of some kinds of values its headers {@code t} and {@code u} have
   */
  record Publish(
      int size, long ttl, boolean persistent, int priority, int deadlineIn, Tenant tenant)
      implements QueueCommand {
    static final int NO_DEADLINE = Integer.MIN_VALUE;

    Publish(int size, long ttl, boolean persistent, int priority) {
      this(size, ttl, persistent, priority, NO_DEADLINE, Tenant.NONE);
    }

    Publish(int size, long ttl, boolean persistent, int priority, int deadlineIn) {
      this(size, ttl, persistent, priority, deadlineIn, Tenant.NONE);
    }
  }

  /** Values of two headers, and what tells shares apart by the first. */
  enum Tenant {
    NONE(null),
    TABLE(null),
    NUMBER("1"),
    DIGIT("1"),
    TEXT("a"),
    OTHER("b"),
    YES("true");

    private final String share;

    Tenant(String share) {
      this.share = share;
    }

    /** Whose turn a message is in if this header counts. */
    String share(String header) {
      return switch (header) {
        case "t" -> String.valueOf(share);
        case "u" -> String.valueOf("1".equals(share));
        default -> String.valueOf((String) null);
      };
    }

    FieldTable.Builder headers() {
      FieldTable.Builder headers =
          FieldTable.builder().put("u", new FieldValue.Bool("1".equals(share)));
      return switch (this) {
        case NONE -> headers;
        case TABLE -> headers.put("t", new FieldValue.Table(FieldTable.EMPTY));
        case NUMBER -> headers.put("t", new FieldValue.Int64(1));
        case YES -> headers.put("t", new FieldValue.Bool(true));
        case DIGIT, TEXT, OTHER -> headers.put("t", FieldValue.of(share));
      };
    }
  }

  record Subscribe(boolean acknowledges, int prefetch, int room) implements QueueCommand {}

  record Cancel(int pick) implements QueueCommand {}

  /** A consumer's outlet gets room for so many messages, and says so. */
  record Resume(int pick, int room) implements QueueCommand {}

  record Fetch(boolean acknowledges) implements QueueCommand {}

  enum Settlement {
    ACKNOWLEDGE,
    REJECT,
    REQUEUE,
    FAIL,
    RELEASE
  }

  /**
   * Settles some of the messages that one consumer holds.
   *
   * @param wide whether the range begins and ends with messages that are not held by anyone, where
   *     there are such
   */
  record Settle(Settlement settlement, int pickHolder, int pickFirst, int count, boolean wide)
      implements QueueCommand {}

  record Purge() implements QueueCommand {}

  /** Removes a message that was beside the queue. */
  record PurgeFromBeside(Publish message) implements QueueCommand {}

  /** Removes the first ready messages, as far as they are so old. */
  record PurgeSome(int count, long olderThan) implements QueueCommand {}

  /** Brings back what has left in the last so many ms. */
  record Restore(int sinceAgo, Set<RemovalReason> reasons, boolean renews)
      implements QueueCommand {}

  record Redeclare() implements QueueCommand {}

  /** Time goes by, and the timer fires at each time it was asked for. */
  record Advance(int millis) implements QueueCommand {}

  /** Time goes by, and the timer is late. */
  record Stall(int millis) implements QueueCommand {}

  /** Applies new settings. */
  record Reconfigure(QueueValues values) implements QueueCommand {}

  /** A ready message is taken out at its place, for good or for a moment. */
  record Extract(int pick, boolean putsBack) implements QueueCommand {}

  /** The store copies what is kept to other places. */
  record Compact() implements QueueCommand {}

  /** Nothing was asked of the queue for a while. */
  record Rest() implements QueueCommand {}

  static Arbitrary<QueueCommand> any() {
    Arbitrary<Integer> pick = integers().between(0, 1000);
    Arbitrary<Boolean> bool = Arbitraries.of(true, false);
    Arbitrary<Integer> room =
        frequencyOf(Tuple.of(2, integers().between(0, 3)), Tuple.of(1, just(Integer.MAX_VALUE)));
    return frequencyOf(
        Tuple.of(
            12,
            Combinators.combine(integers().between(0, 12), ttl(40), bool, integers().between(-1, 6))
                .as(Publish::new)),
        Tuple.of(1, Combinators.combine(bool, integers().between(0, 3), room).as(Subscribe::new)),
        Tuple.of(1, pick.map(Cancel::new)),
        Tuple.of(2, Combinators.combine(pick, room).as(Resume::new)),
        Tuple.of(5, frequencyOf(Tuple.of(4, just(true)), Tuple.of(1, just(false))).map(Fetch::new)),
        Tuple.of(
            5,
            Combinators.combine(
                    frequencyOf(
                        Tuple.of(1, just(Settlement.ACKNOWLEDGE)),
                        Tuple.of(1, just(Settlement.REJECT)),
                        Tuple.of(2, just(Settlement.REQUEUE)),
                        Tuple.of(2, just(Settlement.FAIL)),
                        Tuple.of(1, just(Settlement.RELEASE))),
                    pick,
                    pick,
                    integers().between(1, 4),
                    bool)
                .as(Settle::new)),
        Tuple.of(
            4,
            frequencyOf(
                    Tuple.of(40, integers().between(1, 15)),
                    Tuple.of(1, integers().between(500, 1100)))
                .map(Advance::new)),
        Tuple.of(1, integers().between(1, 15).map(Stall::new)),
        Tuple.of(2, anySettings().map(Reconfigure::new)),
        Tuple.of(
            1,
            Combinators.combine(integers().between(1, 3), longs().between(0, 5))
                .as(PurgeSome::new)),
        Tuple.of(1, Arbitraries.of(new Purge(), new Redeclare(), new Compact(), new Rest())));
  }

  /** Any command, of a queue whose messages have any priority. */
  static Arbitrary<QueueCommand> anyWithPriorities() {
    return frequencyOf(
        Tuple.of(15, any()),
        Tuple.of(
            1,
            Combinators.combine(integers().between(0, 1000), Arbitraries.of(true, false))
                .as(Extract::new)),
        Tuple.of(
            1,
            Combinators.combine(
                    integers().between(0, 12),
                    ttl(40),
                    Arbitraries.of(true, false),
                    Arbitraries.of(-1, 0, 3, 4, 5, 30, 31, 32, 255))
                .as(Publish::new)),
        Tuple.of(
            1,
            Combinators.combine(
                    anySettings(), Arbitraries.of(true, true, false), Arbitraries.of(true, false))
                .as(
                    (settings, levels, dropsLowest) ->
                        new Reconfigure(
                            settings
                                .in(levels ? Dialect.V4_3 : Dialect.V3_13)
                                .with(
                                    PolicyKey.MAX_LENGTH_DROP,
                                    dropsLowest ? "lowest-priority" : "highest-priority")))));
  }

  /** Those that move messages in and out of the order of expiry, and a few ticks between them. */
  static Arbitrary<QueueCommand> anyOfExpiry() {
    Arbitrary<Integer> pick = integers().between(0, 1000);
    return frequencyOf(
        Tuple.of(
            8,
            frequencyOf(Tuple.of(1, just(Message.NO_TTL)), Tuple.of(6, longs().between(1, 12)))
                .map(ttl -> new Publish(1, ttl, true, 0))),
        Tuple.of(4, just(new Fetch(true))),
        Tuple.of(
            4,
            Combinators.combine(pick, pick, integers().between(1, 3))
                .as(
                    (holder, first, count) ->
                        new Settle(Settlement.REQUEUE, holder, first, count, false))),
        Tuple.of(1, integers().between(1, 2).map(room -> new Subscribe(true, 0, room))),
        Tuple.of(3, integers().between(1, 3).map(Advance::new)));
  }

  /** The same, where the TTL of the queue sometimes changes. */
  static Arbitrary<QueueCommand> anyOfChangingTtl() {
    return frequencyOf(
        Tuple.of(10, anyOfExpiry()),
        Tuple.of(
            1,
            Combinators.combine(ttl(30), Arbitraries.of(true, true, false))
                .as(
                    (ttl, retroactive) ->
                        new Reconfigure(
                            QueueValues.NONE
                                .with(PolicyKey.MESSAGE_TTL, ManualQueue.orUnset(ttl))
                                .with(PolicyKey.MESSAGE_TTL_RETROACTIVE, retroactive)))));
  }

  static Arbitrary<QueueValues> anySettings() {
    Arbitrary<Long> period =
        frequencyOf(Tuple.of(3, just(QueueSettings.NONE)), Tuple.of(1, longs().between(1, 100)));
    return Combinators.combine(
            ttl(60),
            period,
            limit(5),
            limit(30),
            Arbitraries.of(Overflow.values()),
            Arbitraries.of("dlx").injectNull(0.5),
            Arbitraries.of(true, true, false),
            anyLeaseAndRetry())
        .as(
            (ttl, expires, length, bytes, overflow, deadLetterExchange, retroactive, others) ->
                others
                    .with(PolicyKey.MESSAGE_TTL, ManualQueue.orUnset(ttl))
                    .with(PolicyKey.EXPIRES, ManualQueue.orUnset(expires))
                    .with(PolicyKey.MAX_LENGTH, ManualQueue.orUnset(length))
                    .with(PolicyKey.MAX_LENGTH_BYTES, ManualQueue.orUnset(bytes))
                    .with(PolicyKey.OVERFLOW, EnumNames.of(overflow))
                    .with(PolicyKey.DEAD_LETTER_EXCHANGE, deadLetterExchange)
                    .with(PolicyKey.MESSAGE_TTL_RETROACTIVE, retroactive));
  }

  /** The same, where other rules of expiry and length than the usual ones count. */
  static Arbitrary<QueueValues> anyOptions() {
    return Combinators.combine(
            anySettings(),
            Arbitraries.of(TtlMode.class),
            Arbitraries.of(ExpiryMode.class),
            frequencyOf(Tuple.of(3, just(0L)), Tuple.of(1, longs().between(1, 20))),
            Arbitraries.of(true, false),
            Arbitraries.of(true, false))
        .as(
            (settings, ttlMode, mode, floor, countsUnacked, dropsLowest) ->
                settings
                    .with(PolicyKey.MESSAGE_TTL_MODE, EnumNames.of(ttlMode))
                    .with(PolicyKey.EXPIRY_MODE, EnumNames.of(mode))
                    .with(PolicyKey.MESSAGE_TTL_FLOOR, floor)
                    .with(PolicyKey.MAX_LENGTH_SCOPE, countsUnacked ? "total" : "ready")
                    .with(
                        PolicyKey.MAX_LENGTH_DROP,
                        dropsLowest ? "lowest-priority" : "highest-priority"));
  }

  /** Any command, of a queue whose messages may have a deadline in a header. */
  static Arbitrary<QueueCommand> anyWithDeadlines() {
    Arbitrary<QueueValues> settings =
        Combinators.combine(anyOptions(), Arbitraries.of("d", "d", "other").injectNull(0.2))
            .as((others, header) -> others.with(PolicyKey.DEADLINE_HEADER, header));
    return frequencyOf(
        Tuple.of(12, any()),
        Tuple.of(1, settings.map(Reconfigure::new)),
        Tuple.of(
            8,
            Combinators.combine(
                    integers().between(0, 12),
                    ttl(40),
                    Arbitraries.of(true, false),
                    integers().between(-5, 40))
                .as((size, ttl, kept, in) -> new Publish(size, ttl, kept, 0, in))));
  }

  /** Any command, of a queue where the values of a header take turns at times. */
  static Arbitrary<QueueCommand> anyWithShares() {
    Arbitrary<QueueValues> settings =
        Combinators.combine(anyOptions(), Arbitraries.of("t", "t", "u", "other").injectNull(0.2))
            .as((others, header) -> others.with(PolicyKey.FAIR_BY, header));
    return frequencyOf(
        Tuple.of(14, anyWithUndo().map(QueueCommand::keepingShares)),
        Tuple.of(1, settings.map(Reconfigure::new)),
        Tuple.of(
            1,
            Combinators.combine(integers().between(0, 1000), Arbitraries.of(true, false))
                .as(Extract::new)),
        Tuple.of(
            10,
            Combinators.combine(
                    integers().between(0, 12),
                    ttl(40),
                    Arbitraries.of(true, false),
                    integers().between(-1, 6),
                    Arbitraries.of(Tenant.class))
                .as(
                    (size, ttl, kept, priority, tenant) ->
                        new Publish(size, ttl, kept, priority, Publish.NO_DEADLINE, tenant))));
  }

  private static QueueCommand keepingShares(QueueCommand command) {
    return command instanceof Reconfigure reconfigure
        ? new Reconfigure(reconfigure.values().with(PolicyKey.FAIR_BY, "t"))
        : command;
  }

  /** Any command, of a queue whose messages can be brought back at times. */
  static Arbitrary<QueueCommand> anyWithUndo() {
    Arbitrary<QueueValues> settings =
        Combinators.combine(
                anyOptions(),
                longs().between(1, 30).injectNull(0.3),
                frequencyOf(Tuple.of(2, just((Long) null)), Tuple.of(1, longs().between(0, 600))),
                Arbitraries.of(true, false))
            .as(
                (others, window, bytes, acked) ->
                    others
                        .with(PolicyKey.RECOVERABLE, window)
                        .with(PolicyKey.RECOVERABLE_BYTES, bytes)
                        .with(PolicyKey.RECOVERABLE_ACKED, acked));
    return frequencyOf(
        Tuple.of(12, any()),
        Tuple.of(2, settings.map(Reconfigure::new)),
        Tuple.of(
            1,
            Combinators.combine(integers().between(0, 1000), Arbitraries.of(true, false))
                .as(Extract::new)),
        Tuple.of(1, just(new Purge())),
        Tuple.of(
            1,
            any()
                .filter(Publish.class::isInstance)
                .map(message -> new PurgeFromBeside((Publish) message))),
        Tuple.of(
            3,
            Combinators.combine(
                    integers().between(0, 40),
                    Arbitraries.of(RemovalReason.class).set().ofMinSize(1),
                    Arbitraries.of(true, false))
                .as(Restore::new)));
  }

  /** Any command, of a queue whose time stands still now and then. */
  static Arbitrary<QueueCommand> anyWithStops() {
    Arbitrary<QueueValues> settings =
        Combinators.combine(
                anyOptions(),
                Arbitraries.of("deliveries", "both", "publishing").injectNull(0.5),
                Arbitraries.of("stop", "stop", "run"),
                Arbitraries.of("d").injectNull(0.6),
                longs().between(1, 60).injectNull(0.5))
            .as(
                (others, pause, ttl, header, window) ->
                    others
                        .with(PolicyKey.PAUSE, pause)
                        .with(PolicyKey.PAUSE_TTL, ttl)
                        .with(PolicyKey.DEADLINE_HEADER, header)
                        .with(PolicyKey.RECOVERABLE, window));
    return frequencyOf(
        Tuple.of(10, anyWithDeadlines()),
        Tuple.of(6, anyWithUndo()),
        Tuple.of(4, settings.map(Reconfigure::new)));
  }

  /** Any command, and sometimes any of these options. */
  static Arbitrary<QueueCommand> anyOfChangingOptions() {
    return frequencyOf(Tuple.of(20, any()), Tuple.of(1, anyOptions().map(Reconfigure::new)));
  }

  private static Arbitrary<Long> ttl(long longest) {
    return frequencyOf(
        Tuple.of(5, just(Message.NO_TTL)),
        Tuple.of(1, just(0L)),
        Tuple.of(10, longs().between(1, longest)));
  }

  private static Arbitrary<QueueValues> anyLeaseAndRetry() {
    return Combinators.combine(
            Arbitraries.of(LeaseUse.CHOICES).set().injectNull(0.2),
            Arbitraries.of(true, false, false),
            frequencyOf(Tuple.of(1, just(QueueValues.NONE)), Tuple.of(1, anyRetry())),
            limit(3),
            limit(5),
            anyPace())
        .as(
            (uses, onlyIfEmpty, retry, prefetchMax, unackedMax, pace) ->
                retry
                    .with(PolicyKey.PAUSE, pace.keys().get(PolicyKey.PAUSE))
                    .with(PolicyKey.PAUSE_TTL, pace.keys().get(PolicyKey.PAUSE_TTL))
                    .with(PolicyKey.DELIVERY_RATE, pace.keys().get(PolicyKey.DELIVERY_RATE))
                    .with(PolicyKey.DELIVERY_BURST, pace.keys().get(PolicyKey.DELIVERY_BURST))
                    .with(PolicyKey.CONSUMER_PREFETCH_MAX, atLeastOne(prefetchMax))
                    .with(PolicyKey.MAX_UNACKED, atLeastOne(unackedMax))
                    .with(PolicyKey.EXPIRES_ACTIVITY, words(uses))
                    .with(
                        PolicyKey.EXPIRES_CONDITION, onlyIfEmpty ? "unused-and-empty" : "unused"));
  }

  private static Arbitrary<QueueValues> anyPace() {
    Arbitrary<String> pause = Arbitraries.of(EnumNames.all(Pause.class)).injectNull(0.9);
    Arbitrary<String> pauseTtl = Arbitraries.of(EnumNames.all(PauseTtl.class)).injectNull(0.2);
    Arbitrary<Long> rate =
        frequencyOf(Tuple.of(1, longs().between(1, 4)), Tuple.of(1, longs().between(50, 1000)));
    return Combinators.combine(
            pause, pauseTtl, rate.injectNull(0.7), longs().between(1, 3).injectNull(0.5))
        .as(
            (paused, ttl, within, burst) ->
                QueueValues.NONE
                    .with(PolicyKey.PAUSE, paused)
                    .with(PolicyKey.PAUSE_TTL, ttl)
                    .with(PolicyKey.DELIVERY_RATE, within)
                    .with(PolicyKey.DELIVERY_BURST, burst));
  }

  private static Long atLeastOne(long limit) {
    return ManualQueue.orUnset(limit == 0 ? 1 : limit);
  }

  private static String words(Set<LeaseUse> uses) {
    if (uses == null) {
      return null;
    }
    return uses.isEmpty()
        ? "none"
        : uses.stream().map(EnumNames::of).collect(Collectors.joining(","));
  }

  private static Arbitrary<QueueValues> anyRetry() {
    return Combinators.combine(
            Arbitraries.of(RetryType.values()),
            longs().between(1, 10),
            longs().between(-1, 20).filter(most -> most != 0),
            Arbitraries.of(Backoff.values()),
            longs().between(1, 20).list().ofMaxSize(2))
        .as(
            (type, least, most, backoff, delays) ->
                QueueValues.NONE
                    .with(PolicyKey.DELAYED_RETRY_TYPE, EnumNames.of(type))
                    .with(PolicyKey.DELAYED_RETRY_MIN, least)
                    .with(PolicyKey.DELAYED_RETRY_MAX, ManualQueue.orUnset(most))
                    .with(PolicyKey.DELAYED_RETRY_BACKOFF, EnumNames.of(backoff))
                    .with(PolicyKey.DELAYED_RETRY_DELAYS, delays.isEmpty() ? null : delays));
  }

  private static Arbitrary<Long> limit(long highest) {
    return frequencyOf(
        Tuple.of(3, just(QueueSettings.NONE)), Tuple.of(1, longs().between(0, highest)));
  }
}
