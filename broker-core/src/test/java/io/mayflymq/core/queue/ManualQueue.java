package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.QueueLog.Dead;
import io.mayflymq.core.queue.QueueLog.Delivery;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;

/**
 * A machine with a clock and a timer in the hands of a test, which writes down what happens. Its
 * messages are numbered from 0 on, its consumers from 1.
 */
final class ManualQueue implements QueueEffects {
  static final long START = 1_800_000_000_000L;

  final QueueMachine machine;
  final List<Dead> deaths = new ArrayList<>();
  final List<Delivery> deliveries = new ArrayList<>();
  final List<Long> stored = new ArrayList<>();
  final List<Long> settled = new ArrayList<>();
  final Consumer getter = consumer(true, false, 0);
  long now = START;
  long timerAt = Long.MAX_VALUE;
  int timerCalls;
  boolean leaseEnded;
  private int messages;
  private int consumers;

  ManualQueue(QueueSettings settings) {
    machine = new QueueMachine(settings, new PagePool(2), this, now);
    machine.start();
  }

  /** Settings with a TTL and a lease, in ms; -1 for none. */
  static QueueSettings lasting(long ttl, long expires) {
    return new QueueSettings(ttl, expires, -1, -1, Overflow.DROP_HEAD, null, null, false);
  }

  /** Settings with limits; -1 for none. */
  static QueueSettings limited(long messages, long bytes, Overflow overflow) {
    return new QueueSettings(-1, -1, messages, bytes, overflow, null, null, false);
  }

  /** Publishes a persistent message of 10 bytes. */
  boolean publish(long ttl) {
    return publish(10, ttl, true);
  }

  /** Publishes so many messages, persistent and of 10 bytes, that do not expire. */
  void publishMany(int count) {
    for (int i = 0; i < count; i++) {
      publish(Message.NO_TTL);
    }
  }

  boolean publish(int size, long ttl, boolean persistent) {
    ShortString number = ShortString.of(Integer.toString(messages++));
    byte[] content = new byte[size + 2];
    return machine.publish(
        new Message(ShortString.of("x"), number, content, 2, ttl, 0, persistent, List.of()), now);
  }

  /** Makes a consumer that acknowledges. */
  Consumer consumer(int prefetch) {
    return consumer(true, false, prefetch);
  }

  Consumer consumer(boolean acknowledges, boolean exclusive, int prefetch) {
    ShortString tag = ShortString.of(Integer.toString(consumers++));
    return new Consumer(tag, acknowledges, exclusive, prefetch, FieldTable.EMPTY, new Outlet());
  }

  /** Makes a consumer that acknowledges, and lets it join. */
  Consumer subscribe(int prefetch) {
    Consumer consumer = consumer(prefetch);
    machine.subscribe(consumer, now);
    return consumer;
  }

  static void setRoom(Consumer consumer, int room) {
    ((Outlet) consumer.outlet()).room = room;
  }

  /** Fetches with acknowledgement; -1 if there is nothing, else the message's number. */
  int fetch() {
    Fetched fetched = machine.fetch(true, now);
    return fetched == null ? -1 : number(fetched.message());
  }

  /** Time goes by, and the timer fires in time. */
  void advance(long millis) {
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
  List<Integer> delivered() {
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

  static int number(Message message) {
    return Integer.parseInt(message.routingKey().value());
  }

  private static int number(Consumer consumer) {
    return Integer.parseInt(consumer.tag().value());
  }

  @Override
  public void stored(long sequence, Message message, long deadlineMillis, long enqueuedAtMillis) {
    stored.add(sequence);
  }

  @Override
  public void settled(long sequence) {
    settled.add(sequence);
  }

  @Override
  public void died(Message message, DeathReason reason, long nowMillis) {
    deaths.add(new Dead(number(message), reason, nowMillis));
  }

  @Override
  public void wakeAt(long deadlineMillis) {
    timerAt = deadlineMillis;
  }

  @Override
  public void leaseEnded() {
    leaseEnded = true;
  }

  private final class Outlet implements DeliveryOutlet {
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
