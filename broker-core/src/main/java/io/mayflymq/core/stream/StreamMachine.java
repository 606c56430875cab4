package io.mayflymq.core.stream;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.MessageBrowser;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.QueueTimer;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.StreamStore;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A stream: a log to which messages are appended, and consumers that read it, each at its own
 * position. Consumers do not change the log, so there is no state per message; the only costs are
 * those of the consumers.
 *
 * <p>A message gets its offset in a header once, when it arrives; it is stored and delivered in
 * this form. It is delivered when it is safe. Acknowledgements, and everything else that settles a
 * delivery, only give the consumer credit for another one.
 *
 * <p>A consumer far behind could keep the shard busy for as long as its credit and its connection
 * allow. So each one gets one slice at a time, with the event loop running in between.
 */
public final class StreamMachine implements QueueMachine {
  /** How many messages a consumer gets in one slice before other work gets its turn. */
  static final int SLICE_MESSAGES = 512;

  /** The same in bytes of content. */
  static final long SLICE_BYTES = 512 << 10;

  /** After how long a failed read is repeated, in ms. */
  private static final long RETRY_MILLIS = 1000;

  private final StreamStore log;
  private final QueueEffects effects;
  private final QueueTimer queueTimer;
  private final Counters counters = new Counters();
  private final Map<Consumer, StreamConsumer> consumers = new LinkedHashMap<>();
  private QueueSettings settings;

  /**
   * Creates a stream.
   *
   * @param settings the effective settings
   * @param log stores its messages
   * @param effects receives what the stream wants done outside of itself
   */
  public StreamMachine(QueueSettings settings, StreamStore log, QueueEffects effects) {
    this.settings = settings;
    this.log = log;
    this.effects = effects;
    this.queueTimer = new QueueTimer(effects);
    setSegmentBytes();
  }

  private void setSegmentBytes() {
    if (settings.stream().segmentBytes() != QueueSettings.NONE) {
      log.segmentBytes(settings.stream().segmentBytes());
    }
  }

  @Override
  public void start(long nowMillis) {
    retain(nowMillis);
  }

  @Override
  public QueueSettings settings() {
    return settings;
  }

  /** Applies new settings: retention uses them at once; the next segment has the new size. */
  @Override
  public void reconfigure(QueueSettings changed, long nowMillis) {
    settings = changed;
    setSegmentBytes();
    retain(nowMillis);
  }

  @Override
  public PolicyImpact policyImpact(QueueSettings changed, long nowMillis) {
    long first =
        log.firstRetained(
            changed.length().maxLengthBytes(), changed.stream().maxAgeMillis(), nowMillis);
    return new PolicyImpact(0, first - log.firstOffset(), Deadlines.NEVER);
  }

  private void retain(long nowMillis) {
    queueTimer.noLaterThan(
        log.retain(
            settings.length().maxLengthBytes(), settings.stream().maxAgeMillis(), nowMillis));
  }

  // Publishing

  @Override
  public boolean publish(Message message, long nowMillis) {
    log.append(StreamOffset.of(message, log.nextOffset()), nowMillis);
    return true;
  }

  /** A stream accepts every message. */
  @Override
  public boolean refuses(Message message, long nowMillis) {
    return false;
  }

  /** Called when further messages of the log are safe. */
  public void safe(long nowMillis) {
    feedAll(nowMillis);
    retain(nowMillis);
  }

  // Consuming

  /** Any number of consumers may read a stream, independently of each other. */
  @Override
  public boolean admits(boolean exclusive) {
    return true;
  }

  /** Adds a consumer, which must have a prefetch limit. */
  @Override
  public void subscribe(Consumer consumer, long nowMillis) {
    StreamConsumer reader =
        new StreamConsumer(
            consumer, log.read(positionOf(consumer, nowMillis)), counters, effects.tracer());
    consumers.put(consumer, reader);
    feed(reader, nowMillis);
  }

  /** Nothing is put back, and consumers do not wait for one another. */
  @Override
  public void stop(Consumer consumer) {}

  private long positionOf(Consumer consumer, long nowMillis) {
    return specOf(consumer).in(log, nowMillis);
  }

  private static OffsetSpec specOf(Consumer consumer) {
    return OffsetSpec.of(consumer.arguments()).orElse(new OffsetSpec.Next());
  }

  /**
   * Returns the offset of the first message that a consumer may get if it is added now, 0 at least.
   * It misses nothing if it is added again with this offset after what is not safe yet was lost,
   * and gets nothing below an offset that it has asked for, which may not be safe here yet.
   */
  public long beginOf(Consumer consumer, long nowMillis) {
    long position = Math.max(positionOf(consumer, nowMillis), 0);
    return specOf(consumer) instanceof OffsetSpec.At
        ? position
        : Math.min(position, log.safeOffset());
  }

  @Override
  public boolean cancel(Consumer consumer, long nowMillis) {
    StreamConsumer reader = consumers.remove(consumer);
    if (reader == null) {
      return false;
    }
    reader.close();
    return consumers.isEmpty();
  }

  @Override
  public void resume(Consumer consumer, long nowMillis) {
    StreamConsumer reader = consumers.get(consumer);
    if (reader != null && reader.blocked) {
      reader.blocked = false;
      feed(reader, nowMillis);
    }
  }

  private void feedAll(long nowMillis) {
    for (StreamConsumer reader : consumers.values()) {
      feed(reader, nowMillis);
    }
  }

  /**
   * Delivers messages to a consumer. If its position in the log cannot be read, it waits, and does
   * not delay other consumers.
   */
  private void feed(StreamConsumer reader, long nowMillis) {
    try {
      serve(reader, nowMillis);
    } catch (UncheckedIOException e) {
      effects.unreadable(reader.offset(), e.getCause().toString(), true);
      queueTimer.noLaterThan(nowMillis + RETRY_MILLIS);
    }
  }

  private void serve(StreamConsumer reader, long nowMillis) {
    int messages = SLICE_MESSAGES;
    long bytes = SLICE_BYTES;
    while (reader.canTake()) {
      if (messages-- == 0 || bytes <= 0) {
        queueTimer.noLaterThan(nowMillis);
        return;
      }
      Message message = reader.step(nowMillis);
      if (message == null) {
        return;
      }
      bytes -= message.content().length;
    }
  }

  // Settling

  @Override
  public void acknowledge(Consumer consumer, long from, long to, long nowMillis) {
    counters.add(Counter.ACKED, to - from + 1);
    consumer.rates().acknowledged(to - from + 1, nowMillis);
    settled(consumer, from, to, nowMillis);
  }

  /** Messages of a stream are not dead-lettered: a rejection only settles the delivery. */
  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  /** Messages of a stream are not requeued: a requeue only settles the delivery. */
  @Override
  public void requeue(Consumer consumer, long from, long to, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  /** As {@link #requeue}. */
  @Override
  public void fail(Consumer consumer, long from, long to, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  /** As {@link #requeue}. */
  @Override
  public void release(Consumer consumer, long from, long to, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  private void settled(Consumer consumer, long from, long to, long nowMillis) {
    StreamConsumer reader = consumers.get(consumer);
    if (reader != null) {
      reader.settled(to - from + 1);
      feed(reader, nowMillis);
    }
  }

  // Time

  @Override
  public void onTimer(long nowMillis) {
    queueTimer.fired();
    retain(nowMillis);
    feedAll(nowMillis);
  }

  @Override
  public void dispose() {
    consumers.values().forEach(StreamConsumer::close);
    consumers.clear();
    log.forget();
  }

  // Views

  @Override
  public long readyCount() {
    return log.nextOffset() - log.firstOffset();
  }

  /**
   * All messages are ready and persistent, whether they have been read or not; the bytes are those
   * on disk.
   */
  @Override
  public QueueTotals totals() {
    long count = readyCount();
    return new QueueTotals(count, 0, log.bytes(), 0, 0, 0, 0, 0, count, log.bytes());
  }

  /** Shows safe messages only, like consumers. */
  @Override
  public MessageBrowser browse(long position) {
    long offset = log.firstOffset() + Math.min(position, readyCount());
    return new StreamBrowser(log.read(offset), position);
  }

  @Override
  public Counters counters() {
    return counters;
  }

  /**
   * Returns how many messages that are safe the slowest consumer has not read yet; empty without
   * consumers.
   */
  public OptionalLong largestLag() {
    return consumers.values().stream()
        .mapToLong(
            consumer ->
                Math.max(0, log.safeOffset() - Math.max(log.firstOffset(), consumer.nextOffset())))
        .max();
  }

  @Override
  public int consumerCount() {
    return consumers.size();
  }

  @Override
  public List<Consumer> consumers() {
    return List.copyOf(consumers.keySet());
  }

  @Override
  public boolean isActive(Consumer consumer) {
    return true;
  }
}
