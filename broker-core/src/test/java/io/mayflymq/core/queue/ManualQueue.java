package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.QueueLog.Dead;
import io.mayflymq.core.queue.QueueLog.Delivery;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.tracing.QueueTracer;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A machine with a clock and a timer in the hands of a test, which writes down what happens. Its
 * messages are numbered from 0 on, its consumers from 1.
 */
public final class ManualQueue implements QueueEffects {
  public static final long START = 1_800_000_000_000L;

  public final ClassicQueueMachine machine;
  public final List<Dead> deaths = new ArrayList<>();
  final List<Cause> causes = new ArrayList<>();
  final List<Delivery> deliveries = new ArrayList<>();
  final RecordingStore store = new RecordingStore(RecordingStore.ROOM_FOR_ALL, new Own());
  private final Map<Long, Entry> keptStops = new TreeMap<>();
  final RecordingStore stops = new RecordingStore(RecordingStore.ROOM_FOR_ALL, new Stops());
  final List<Long> stored = store.stored;
  public final List<Long> settled = store.settled;
  private final Map<Long, Entry> kept = new TreeMap<>();
  private final QueueSettings settings;
  private final QueueTracer tracer;
  public final Consumer getter = consumer(true, false, 0);
  public long now;
  long timerAt = Long.MAX_VALUE;
  int timerCalls;
  boolean leaseEnded;
  private int messages;
  private int consumers;

  /** What decided that a message dies, and when it was due. */
  record Cause(int message, DropTrigger cause, long deadline) {}

  /** What the log knows of a message. */
  record Entry(long sequence, Message message, long deadline, long enqueuedAt) {
    int number() {
      return ManualQueue.number(message);
    }
  }

  /** What the log has of a queue, in order. */
  record Kept(List<Entry> entries) {
    long sequenceOf(int number) {
      return entries.stream()
          .filter(entry -> entry.number() == number)
          .findFirst()
          .orElseThrow()
          .sequence();
    }
  }

  public ManualQueue(QueueSettings settings) {
    this(settings, (QueueTracer) null);
  }

  /** A queue whose messages are traced. */
  ManualQueue(QueueSettings settings, QueueTracer tracer) {
    this(settings, tracer, START);
    machine.start(now);
  }

  private ManualQueue(QueueSettings settings, QueueTracer tracer, long now) {
    this.settings = settings;
    this.tracer = tracer;
    this.now = now;
    machine =
        new ClassicQueueMachine(settings, new PagePool(2), store, null, () -> stops, this, now);
  }

  Kept kept() {
    return new Kept(List.copyOf(kept.values()));
  }

  /** The queue after a restart, that many ms later; its messages have come in any order. */
  ManualQueue restarted(long laterMillis, Random random) {
    return restarted(settings, laterMillis, random);
  }

  ManualQueue restarted(QueueSettings changed, long laterMillis, Random random) {
    ManualQueue after = new ManualQueue(changed, tracer, now + laterMillis);
    List<Entry> entries = new ArrayList<>(kept.values());
    Collections.shuffle(entries, random);
    for (Entry entry : entries) {
      after.store.bringBack(entry.sequence, entry.message, entry.deadline, entry.enqueuedAt);
    }
    after.store.queue().recoveredDelivered(store.deliveredUpTo);
    after.store.queue().recoveredReturns(store.returned(), true);
    keptStops.keySet().removeAll(stops.settled);
    after.keptStops.putAll(keptStops);
    if (!keptStops.isEmpty()) {
      after.machine.openStopped();
      keptStops
          .values()
          .forEach(
              stop ->
                  after.stops.bringBack(
                      stop.sequence, stop.message, stop.deadline, stop.enqueuedAt));
    }
    after.kept.putAll(kept);
    after.messages = messages;
    after.machine.start(after.now);
    return after;
  }

  /** Returns a number as the value of a key; null for none. */
  static Long orUnset(long value) {
    return value == QueueSettings.NONE ? null : Long.valueOf(value);
  }

  /** Settings with a TTL and a lease, in ms; -1 for none. */
  public static QueueSettings lasting(long ttl, long expires) {
    return QueueValues.NONE
        .with(PolicyKey.MESSAGE_TTL, orUnset(ttl))
        .with(PolicyKey.EXPIRES, orUnset(expires))
        .settings();
  }

  /** Settings with limits; -1 for none. */
  static QueueSettings limited(long messages, long bytes, Overflow overflow) {
    return QueueValues.NONE
        .with(PolicyKey.MAX_LENGTH, orUnset(messages))
        .with(PolicyKey.MAX_LENGTH_BYTES, orUnset(bytes))
        .with(PolicyKey.OVERFLOW, EnumNames.of(overflow))
        .settings();
  }

  /** Publishes a persistent message of 10 bytes. */
  public boolean publish(long ttl) {
    return publish(10, ttl, true);
  }

  /** Publishes so many messages, persistent and of 10 bytes, that do not expire. */
  public void publishMany(int count) {
    for (int i = 0; i < count; i++) {
      publish(Message.NO_TTL);
    }
  }

  public boolean publish(int size, long ttl, boolean persistent) {
    return publish(size, ttl, persistent, Message.NO_PRIORITY);
  }

  public boolean publish(int size, long ttl, boolean persistent, int priority) {
    ShortString number = ShortString.of(Integer.toString(messages++));
    return machine.publish(message(number, size, ttl, persistent, priority), now);
  }

  /** Publishes a message with headers. */
  boolean publish(int size, long ttl, boolean persistent, FieldTable headers) {
    ShortString number = ShortString.of(Integer.toString(messages++));
    return machine.publish(
        message(number, size, ttl, persistent, Message.NO_PRIORITY, headers), now);
  }

  /** Makes a message with no other property than a priority, if that. */
  static Message message(ShortString number, int size, long ttl, boolean persistent, int priority) {
    return message(number, size, ttl, persistent, priority, FieldTable.EMPTY);
  }

  static Message message(
      ShortString number,
      int size,
      long ttl,
      boolean persistent,
      int priority,
      FieldTable headers) {
    boolean hasPriority = priority != Message.NO_PRIORITY;
    BasicProperties.Builder given = BasicProperties.builder();
    if (!headers.isEmpty()) {
      given.headers(headers);
    }
    if (hasPriority) {
      given.priority(priority);
    }
    byte[] properties = given.build().encode();
    return new Message(
        ShortString.of("x"),
        number,
        Arrays.copyOf(properties, properties.length + size),
        properties.length,
        ttl,
        Math.max(0, priority),
        persistent,
        List.of());
  }

  /** Makes a consumer that acknowledges. */
  Consumer consumer(int prefetch) {
    return consumer(true, false, prefetch);
  }

  Consumer consumer(boolean acknowledges, boolean exclusive, int prefetch) {
    ShortString tag = ShortString.of(Integer.toString(consumers++));
    return new Consumer(
        tag, new ConsumeOptions(acknowledges, exclusive, prefetch, FieldTable.EMPTY), new Outlet());
  }

  /** Makes a consumer that acknowledges, and lets it join. */
  public Consumer subscribe(int prefetch) {
    Consumer consumer = consumer(prefetch);
    machine.subscribe(consumer, now);
    return consumer;
  }

  /** The same with a priority. */
  Consumer subscribeWithPriority(int prefetch, int priority) {
    FieldTable arguments = FieldTable.builder().put(Consumer.PRIORITY, priority).build();
    ShortString tag = ShortString.of(Integer.toString(consumers++));
    Consumer consumer =
        new Consumer(tag, new ConsumeOptions(true, false, prefetch, arguments), new Outlet());
    machine.subscribe(consumer, now);
    return consumer;
  }

  static void setRoom(Consumer consumer, int room) {
    ((Outlet) consumer.outlet()).room = room;
  }

  /** Fetches with acknowledgement; -1 if there is nothing, else the message's number. */
  public int fetch() {
    machine.used(LeaseUse.GET, now);
    GetResult getResult = machine.fetch(true, now);
    return getResult == null ? -1 : number(getResult.message());
  }

  long purge() {
    Purge purge = machine.purge();
    while (purge.step(now)) {}
    return purge.removed();
  }

  /** Time goes by, and the timer fires in time. */
  public void advance(long millis) {
    long end = now + millis;
    while (timerAt <= end) {
      now = Math.max(now, timerAt);
      fire();
    }
    now = end;
  }

  /** The timer fires. */
  void fire() {
    timerAt = Long.MAX_VALUE;
    timerCalls++;
    machine.onTimer(now);
  }

  /** The messages delivered so far, in order. */
  public List<Integer> delivered() {
    return deliveries.stream().map(Delivery::message).toList();
  }

  /** The messages delivered to a consumer so far, in order. */
  List<Integer> deliveredTo(Consumer consumer) {
    return deliveries.stream()
        .filter(delivery -> delivery.consumer() == number(consumer))
        .map(Delivery::message)
        .toList();
  }

  /** The messages that have died so far for this reason, in order. */
  List<Integer> dead(DeathReason reason) {
    return deaths.stream().filter(dead -> dead.reason() == reason).map(Dead::message).toList();
  }

  public static int number(Message message) {
    return Integer.parseInt(message.routingKey().value());
  }

  private static int number(Consumer consumer) {
    return Integer.parseInt(consumer.tag().value());
  }

  @Override
  public void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis) {
    // Without a dead letter exchange the message is not read back when it dies.
    Message dead = message == null ? store.lastGone : message;
    deaths.add(new Dead(number(dead), cause.reason(), nowMillis));
    causes.add(new Cause(number(dead), cause, deadlineMillis));
  }

  @Override
  public void wakeAt(long deadlineMillis) {
    timerAt = deadlineMillis;
  }

  @Override
  public void unreadable(long sequence, String reason, boolean kept) {
    throw new AssertionError(reason);
  }

  @Override
  public void leaseEnded() {
    leaseEnded = true;
  }

  @Override
  public QueueTracer tracer() {
    return tracer;
  }

  private final class Own implements RecordingStore.Listener {
    @Override
    public void stored(
        Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis) {
      kept.put(sequence, new Entry(sequence, message, ownDeadlineMillis, enqueuedAtMillis));
    }

    @Override
    public void settled(Message message) {
      kept.values().removeIf(entry -> entry.message == message);
    }
  }

  /** What the log knows of when time stood still; what is settled is told by its number. */
  private final class Stops implements RecordingStore.Listener {
    @Override
    public void stored(
        Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis) {
      keptStops.put(sequence, new Entry(sequence, message, ownDeadlineMillis, enqueuedAtMillis));
    }

    @Override
    public void settled(Message message) {}
  }

  private final class Outlet implements ConsumerTarget {
    private int room = Integer.MAX_VALUE;

    @Override
    public boolean reserve(Consumer consumer) {
      return room > 0 && room-- > 0;
    }

    @Override
    public void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
      deliveries.add(new Delivery(number(consumer), number(message), sequence >= 0, redelivered));
    }

    @Override
    public void cancelled(Consumer consumer) {
      throw new AssertionError("the machine does not end consumers by itself");
    }
  }
}
