package io.mayflymq.core.policy;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The effective settings of a queue. Derived from its arguments, from policies and from defaults;
 * times in ms, {@link #NONE} for a setting that is absent.
 *
 * @param type the type of queue
 * @param singleActiveConsumer whether only one consumer gets messages at a time
 * @param maxPriority the highest priority that it supports, 0 to 255, or {@link #NO_PRIORITIES}
 * @param expiry when messages expire
 * @param lease how long it may stay unused
 * @param length the length limits
 * @param deadLetters what happens to its dead messages
 * @param deliveries what happens to deliveries that are not acknowledged
 * @param stream what applies to streams only
 */
public record QueueSettings(
    QueueType type,
    boolean singleActiveConsumer,
    int maxPriority,
    ExpirySettings expiry,
    LeaseSettings lease,
    LengthSettings length,
    DeadLetterSettings deadLetters,
    DeliverySettings deliveries,
    StreamSettings stream) {

  /** No such limit. */
  public static final long NONE = -1;

  /** The {@link #maxPriority} of a queue that ignores priorities. */
  public static final int NO_PRIORITIES = -1;

  /** The highest priority of a quorum queue that tells priorities apart. */
  public static final int HIGHEST_OF_QUORUM_QUEUES = 31;

  /** A queue without any argument or policy. */
  public static final QueueSettings DEFAULT = builder().build();

  /** Creates a builder with the settings of a queue without any argument or policy. */
  public static Builder builder() {
    return new Builder();
  }

  /** Creates a builder with these settings. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Whether the queue supports priorities. */
  public boolean hasPriorities() {
    return maxPriority != NO_PRIORITIES;
  }

  /**
   * Whether a message that arrives may lead to a dead letter at once: itself, or the oldest
   * message.
   */
  public boolean deadLettersOnArrival() {
    return deadLetters.areWanted() && (length.isLimited() || expiry.messageTtlMillis() == 0);
  }

  /** Whether this message, which may have a TTL of its own, may lead to a dead letter at once. */
  public boolean deadLettersOnArrivalOf(Message message) {
    return deadLetters.areWanted()
        && (message.ttlMillis() == 0 || length.isLimited() || expiry.messageTtlMillis() == 0);
  }

  /**
   * Whether the queue dead-letters what it refuses: a dead letter that it refuses is not lost then.
   */
  public boolean deadLettersWhatItRefuses() {
    return length.overflow() == Overflow.REJECT_PUBLISH_DLX
        && deadLetters.areWantedOn(DeathReason.MAXLEN);
  }

  /**
   * Whether every message that dies for this reason waits until a queue has it: not one that the
   * queue refuses, since its publisher is told so.
   */
  public boolean deadLettersAtLeastOnce(DeathReason reason) {
    boolean isRefused =
        reason == DeathReason.MAXLEN && length.overflow() == Overflow.REJECT_PUBLISH_DLX;
    return deadLetters.atLeastOnce() && !isRefused;
  }

  /**
   * Whether the queue counts how often each message is returned, and sends the count to consumers:
   * a quorum queue, and any other queue with a delivery limit or retry delays.
   */
  public boolean countsReturns() {
    return type == QueueType.QUORUM
        || deliveries.limit() != NONE
        || deliveries.retry().type() != RetryType.DISABLED;
  }

  /** Builds settings. */
  public static final class Builder {
    private QueueType type = QueueType.CLASSIC;
    private boolean singleActiveConsumer;
    private int maxPriority = NO_PRIORITIES;
    private long messageTtl = NONE;
    private boolean retroactive = true;
    private TtlMode ttlMode = TtlMode.MIN;
    private long ttlFloor;
    private ExpiryMode expiryMode = ExpiryMode.EXACT;
    private long expires = NONE;
    private Set<LeaseUse> uses = LeaseUse.DEFAULT;
    private boolean expiresOnlyIfEmpty;
    private boolean deadLettersOnExpire;
    private long maxLength = NONE;
    private long maxLengthBytes = NONE;
    private Overflow overflow = Overflow.DROP_HEAD;
    private boolean countsUnacked;
    private boolean dropsLowest;
    private String deadLetterExchange;
    private String deadLetterRoutingKey;
    private Set<DeathReason> deadLetterOn = DeadLetterSettings.ON_DEFAULT;
    private final Map<DeathReason, String> routingKeys = new EnumMap<>(DeathReason.class);
    private boolean serviceBusHeaders;
    private boolean keepsRefusedDeadLetters = true;
    private boolean deadLettersAtLeastOnce;
    private boolean countsPublishedDeaths;
    private boolean autoDeadLetterQueue;
    private long deliveryLimit = NONE;
    private boolean countsEachReturn;
    private boolean activeByPriority;
    private long consumerTimeout = NONE;
    private long consumerDisconnected = NONE;
    private TimeoutAction timeoutAction = TimeoutAction.CLOSE_CHANNEL;
    private RetrySettings retry = RetrySettings.NONE;
    private boolean retriesCount;
    private StreamSettings stream = StreamSettings.DEFAULT;

    private Builder() {}

    private Builder(QueueSettings settings) {
      type = settings.type;
      singleActiveConsumer = settings.singleActiveConsumer;
      maxPriority = settings.maxPriority;
      messageTtl = settings.expiry.messageTtlMillis();
      retroactive = settings.expiry.retroactive();
      ttlMode = settings.expiry.ttlMode();
      ttlFloor = settings.expiry.floorMillis();
      expiryMode = settings.expiry.mode();
      expires = settings.lease.expiresMillis();
      uses = settings.lease.uses();
      expiresOnlyIfEmpty = settings.lease.onlyIfEmpty();
      deadLettersOnExpire = settings.lease.deadLetters();
      maxLength = settings.length.maxLength();
      maxLengthBytes = settings.length.maxLengthBytes();
      overflow = settings.length.overflow();
      countsUnacked = settings.length.countsUnacked();
      dropsLowest = settings.length.dropsLowest();
      deadLetterExchange = settings.deadLetters.exchange();
      deadLetterRoutingKey = settings.deadLetters.routingKey();
      deadLetterOn = settings.deadLetters.on();
      routingKeys.putAll(settings.deadLetters.routingKeys());
      serviceBusHeaders = settings.deadLetters.serviceBusHeaders();
      autoDeadLetterQueue = settings.deadLetters.ownQueue();
      keepsRefusedDeadLetters = settings.deadLetters.keepsRefused();
      deadLettersAtLeastOnce = settings.deadLetters.atLeastOnce();
      countsPublishedDeaths = settings.deadLetters.countsPublished();
      deliveryLimit = settings.deliveries.limit();
      countsEachReturn = settings.deliveries.countsEachReturn();
      activeByPriority = settings.deliveries.activeByPriority();
      consumerTimeout = settings.deliveries.timeoutMillis();
      consumerDisconnected = settings.deliveries.disconnectedMillis();
      timeoutAction = settings.deliveries.timeoutAction();
      retry = settings.deliveries.retry();
      retriesCount = settings.deliveries.retriesCount();
      stream = settings.stream;
    }

    public Builder type(QueueType value) {
      type = value;
      return this;
    }

    public Builder singleActiveConsumer(boolean value) {
      singleActiveConsumer = value;
      return this;
    }

    public Builder maxPriority(int value) {
      maxPriority = value;
      return this;
    }

    public Builder messageTtlMillis(long value) {
      messageTtl = value;
      return this;
    }

    public Builder messageTtlRetroactive(boolean value) {
      retroactive = value;
      return this;
    }

    public Builder ttlMode(TtlMode value) {
      ttlMode = value;
      return this;
    }

    public Builder ttlFloorMillis(long value) {
      ttlFloor = value;
      return this;
    }

    public Builder expiryMode(ExpiryMode value) {
      expiryMode = value;
      return this;
    }

    public Builder expiresMillis(long value) {
      expires = value;
      return this;
    }

    public Builder leaseUses(Set<LeaseUse> value) {
      uses = value;
      return this;
    }

    public Builder expiresOnlyIfEmpty(boolean value) {
      expiresOnlyIfEmpty = value;
      return this;
    }

    public Builder deadLettersOnExpire(boolean value) {
      deadLettersOnExpire = value;
      return this;
    }

    public Builder maxLength(long value) {
      maxLength = value;
      return this;
    }

    public Builder maxLengthBytes(long value) {
      maxLengthBytes = value;
      return this;
    }

    public Builder overflow(Overflow value) {
      overflow = value;
      return this;
    }

    public Builder lengthCountsUnacked(boolean value) {
      countsUnacked = value;
      return this;
    }

    /** Sets {@link LengthSettings#dropsLowest}. */
    public Builder lengthDropsLowest(boolean value) {
      dropsLowest = value;
      return this;
    }

    public Builder deadLetterExchange(String value) {
      deadLetterExchange = value;
      return this;
    }

    public Builder deadLetterRoutingKey(String value) {
      deadLetterRoutingKey = value;
      return this;
    }

    public Builder deadLetterOn(Set<DeathReason> value) {
      deadLetterOn = value;
      return this;
    }

    public Builder deadLetterRoutingKey(DeathReason reason, String value) {
      routingKeys.put(reason, value);
      return this;
    }

    /** Sets {@link DeadLetterSettings#keepsRefused}. */
    public Builder keepsRefusedDeadLetters(boolean value) {
      keepsRefusedDeadLetters = value;
      return this;
    }

    /** Sets {@link DeadLetterSettings#atLeastOnce}. */
    public Builder deadLettersAtLeastOnce(boolean value) {
      deadLettersAtLeastOnce = value;
      return this;
    }

    /** Sets {@link DeadLetterSettings#countsPublished}. */
    public Builder countsPublishedDeaths(boolean value) {
      countsPublishedDeaths = value;
      return this;
    }

    public Builder serviceBusHeaders(boolean value) {
      serviceBusHeaders = value;
      return this;
    }

    public Builder autoDeadLetterQueue(boolean value) {
      autoDeadLetterQueue = value;
      return this;
    }

    public Builder deliveryLimit(long value) {
      deliveryLimit = value;
      return this;
    }

    /** Sets {@link DeliverySettings#retriesCount}. */
    public Builder retriesCount(boolean value) {
      retriesCount = value;
      return this;
    }

    /** Sets {@link DeliverySettings#activeByPriority}. */
    public Builder activeByPriority(boolean value) {
      activeByPriority = value;
      return this;
    }

    /** Sets {@link DeliverySettings#countsEachReturn}. */
    public Builder countsEachReturn(boolean value) {
      countsEachReturn = value;
      return this;
    }

    public Builder consumerDisconnectedMillis(long value) {
      consumerDisconnected = value;
      return this;
    }

    public Builder consumerTimeoutMillis(long value) {
      consumerTimeout = value;
      return this;
    }

    public Builder timeoutAction(TimeoutAction value) {
      timeoutAction = value;
      return this;
    }

    public Builder retry(RetrySettings value) {
      retry = value;
      return this;
    }

    public Builder stream(StreamSettings value) {
      stream = value;
      return this;
    }

    /**
     * Builds the settings. If messages are dead-lettered at the end of the lease, that reason is
     * added.
     */
    public QueueSettings build() {
      Set<DeathReason> on = EnumSet.noneOf(DeathReason.class);
      on.addAll(deadLetterOn);
      if (deadLettersOnExpire) {
        on.add(DeathReason.QUEUE_EXPIRED);
      }
      return new QueueSettings(
          type,
          singleActiveConsumer,
          maxPriority,
          new ExpirySettings(messageTtl, retroactive, ttlMode, ttlFloor, expiryMode),
          new LeaseSettings(expires, Set.copyOf(uses), expiresOnlyIfEmpty, deadLettersOnExpire),
          new LengthSettings(maxLength, maxLengthBytes, overflow, countsUnacked, dropsLowest),
          new DeadLetterSettings(
              deadLetterExchange,
              deadLetterRoutingKey,
              Set.copyOf(on),
              Map.copyOf(routingKeys),
              serviceBusHeaders,
              autoDeadLetterQueue,
              keepsRefusedDeadLetters,
              deadLettersAtLeastOnce && deadLetterExchange != null,
              countsPublishedDeaths),
          new DeliverySettings(
              deliveryLimit,
              countsEachReturn,
              activeByPriority,
              consumerTimeout,
              timeoutAction,
              consumerDisconnected,
              retry,
              retriesCount),
          stream);
    }
  }
}
