package io.mayflymq.core.stream;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.core.store.stream.OneStream;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A stream on a disk in memory, with a clock and a timer that the test drives. */
final class StreamRig implements QueueEffects {
  private static final long START = 1_800_000_000_000L;

  private final FieldTable arguments;
  private OneStream log;
  private StreamMachine machine;
  private long now = START;
  private long timerAt = Deadlines.NEVER;

  /** A stream with these arguments, beside its type. */
  StreamRig(FieldTable more) {
    this.arguments = more.with(QueueType.ARGUMENT, FieldValue.of("stream"));
    open(new MemoryDirectory());
  }

  StreamRig() {
    this(FieldTable.EMPTY);
  }

  private void open(MemoryDirectory disk) {
    log = new OneStream(disk, () -> machine.safe(now));
    machine = new StreamMachine(settings(arguments), log.store(), this);
    log.recover();
    machine.start(now);
  }

  static QueueSettings settings(FieldTable arguments) {
    return QueueArguments.parse(arguments, "s", "/").settings();
  }

  /** The process dies and starts again; consumers are gone. */
  void restart() {
    timerAt = Deadlines.NEVER;
    open(log.disk().afterKill());
  }

  StreamMachine machine() {
    return machine;
  }

  // Time

  /** Lets time pass to so many ms after the start, with the timer if it is due on the way. */
  void at(long millis) {
    long target = START + millis;
    while (timerAt <= target) {
      now = Math.max(now, timerAt);
      timerAt = Deadlines.NEVER;
      machine.onTimer(now);
    }
    now = target;
  }

  long now() {
    return now;
  }

  /** When the timer fires, in ms after the start; {@link Deadlines#NEVER} if it is not set. */
  long timerAt() {
    return timerAt == Deadlines.NEVER ? timerAt : timerAt - START;
  }

  // Publishing

  /** Appends messages in one burst; they are not safe yet. */
  void append(String... bodies) {
    for (String body : bodies) {
      machine.publish(message(FieldTable.EMPTY, body), now);
    }
    log.flush(null);
  }

  /** What was appended is on the disk. */
  void force() {
    log.write();
  }

  void publish(String... bodies) {
    append(bodies);
    force();
  }

  void publishWith(FieldTable headers, String body) {
    machine.publish(message(headers, body), now);
    log.flush(null);
    force();
  }

  private static Message message(FieldTable headers, String body) {
    BasicProperties properties =
        headers.isEmpty()
            ? BasicProperties.EMPTY
            : BasicProperties.builder().headers(headers).build();
    return Message.ofBroker(
        "", ShortString.of("s"), properties, body.getBytes(StandardCharsets.UTF_8));
  }

  // Consuming

  /** A consumer with any argument {@code x-stream-offset}. */
  Reader read(FieldValue offset) {
    return read(FieldTable.builder().put(StreamOffset.HEADER, offset).build(), 1_000);
  }

  Reader read(FieldTable consumeArguments, int prefetch) {
    Reader reader = new Reader(consumeArguments, prefetch);
    machine.subscribe(reader.consumer, now);
    return reader;
  }

  /** A consumer, and what it got. */
  static final class Reader implements ConsumerTarget {
    private final Consumer consumer;
    private final List<String> bodies = new ArrayList<>();
    private final List<Long> offsets = new ArrayList<>();
    private int room = Integer.MAX_VALUE;

    Reader(FieldTable arguments, int prefetch) {
      this.consumer =
          new Consumer(
              ShortString.of("c"), new ConsumeOptions(true, false, prefetch, arguments), this);
    }

    /** What it got since it was asked last. */
    List<String> taken() {
      List<String> taken = List.copyOf(bodies);
      bodies.clear();
      return taken;
    }

    List<Long> offsets() {
      return offsets;
    }

    Consumer consumer() {
      return consumer;
    }

    void room(int messages) {
      room = messages;
    }

    @Override
    public boolean reserve(Consumer asking) {
      return room > 0;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      room--;
      bodies.add(new String(message.body(), StandardCharsets.UTF_8));
      offsets.add(message.headers().get(StreamOffset.HEADER).longValue());
    }

    @Override
    public void cancelled(Consumer gone) {}
  }

  // What streams do to the world

  @Override
  public void wakeAt(long deadlineMillis) {
    timerAt = deadlineMillis;
  }

  @Override
  public void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis) {
    throw new AssertionError("nothing dies in a stream");
  }

  @Override
  public void unreadable(long sequence, String reason, boolean kept) {
    throw new AssertionError(reason);
  }

  @Override
  public void leaseEnded() {
    throw new AssertionError("a stream has no lease");
  }
}
