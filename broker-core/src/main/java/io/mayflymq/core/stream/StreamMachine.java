package io.mayflymq.core.stream;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.Purge;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.QueueTimer;
import io.mayflymq.core.queue.browse.MessageBrowser;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.store.StreamStore;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/*
 * A stream: a log that is appended to, and consumers that read it, each at its own place. Nothing that a consumer does changes the log, so there is
 * no state per message: a stream costs what its consumers cost.
 *
 * A message is stamped with its offset once, when it comes; it is stored and delivered as it is then. It is delivered when it is safe.
 * Acknowledgements, and everything else that settles a delivery, only give the consumer credit for another one.
 *
 * A consumer far behind could keep the shard busy for as long as its credit and its connection allow. So each one gets a slice at a
 * time, with the event loop running in between.
 */
public final class StreamMachine implements QueueMachine {
  /** How many messages a consumer gets in one go before other work gets its turn. */
  static final int SLICE_MESSAGES = 512;

  /** The same in bytes of content. */
  static final long SLICE_BYTES = 512 << 10;

  /** After how long what could not be read is tried again, in ms. */
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
   * @param settings what it lives by
   * @param log where it is kept
   * @param effects what it does to the world
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

  /** Retention goes by the new settings at once; the next segment has the new size. */
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

  /** A stream takes everything. */
  @Override
  public boolean refuses(Message message, long nowMillis) {
    return false;
  }

  /** More of the log is safe than before. */
  public void safe(long nowMillis) {
    feedAll(nowMillis);
    retain(nowMillis);
  }

  // Consuming

  /** Consumers do not take anything from each other. */
  @Override
  public boolean admits(boolean exclusive) {
    return true;
  }

  /** A consumer joins, which has a prefetch limit. */
  @Override
  public void subscribe(Consumer consumer, long nowMillis) {
    OffsetSpec begin = OffsetSpec.of(consumer.arguments()).orElse(new OffsetSpec.Next());
    StreamConsumer reader =
        new StreamConsumer(consumer, log.read(begin.in(log, nowMillis)), counters);
    consumers.put(consumer, reader);
    feed(reader, nowMillis);
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

  /** A consumer whose place in the log cannot be read waits there, and holds up no other. */
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
      Message message = reader.step();
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
    settled(consumer, from, to, nowMillis);
  }

  /** Nothing dies here. */
  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  /** Nothing comes back: the message is where it was. */
  @Override
  public void requeue(Consumer consumer, long from, long to, long nowMillis) {
    settled(consumer, from, to, nowMillis);
  }

  /** The same. */
  @Override
  public void fail(Consumer consumer, long from, long to, long nowMillis) {
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

  /** The log has no memory of its own. */
  @Override
  public void trimMemory() {}

  @Override
  public void dispose() {
    consumers.values().forEach(StreamConsumer::close);
    consumers.clear();
    log.forget();
  }

  // What streams do not have

  /** Nothing is taken from a stream. */
  @Override
  public GetResult fetch(boolean acknowledges, long nowMillis) {
    throw new UnsupportedOperationException("basic.get from a stream");
  }

  /** Nothing is taken from a stream. */
  @Override
  public Purge purge() {
    throw new UnsupportedOperationException("queue.purge of a stream");
  }

  /** Nothing is taken from a stream. */
  @Override
  public MessageExtractor messageExtractor() {
    return null;
  }

  /** A stream does not expire. */
  @Override
  public void used(LeaseUse use, long nowMillis) {}

  /** A stream does not expire. */
  @Override
  public void holdsScheduled(boolean any, long nowMillis) {
    // Streams have no lease.
  }

  @Override
  public void deadLettersWait(long count, long bytes) {}

  @Override
  public boolean leaseHasEnded(long nowMillis) {
    return false;
  }

  /** Nothing dies here. */
  @Override
  public boolean deadLetterAll(DropTrigger cause, long nowMillis) {
    return true;
  }

  /** None: what consumers have not read yet is on disk. */
  @Override
  public int pauseMillis() {
    return 0;
  }

  // Views

  @Override
  public long readyCount() {
    return log.nextOffset() - log.firstOffset();
  }

  /** All messages are ready and persistent, whoever has read them; the bytes are those on disk. */
  @Override
  public QueueTotals totals() {
    long count = readyCount();
    return new QueueTotals(count, 0, log.bytes(), 0, 0, 0, 0, 0, count, log.bytes());
  }

  @Override
  public Message peekHead() {
    return null;
  }

  /** Shows what is safe, as to consumers. */
  @Override
  public MessageBrowser browse(long position) {
    long offset = log.firstOffset() + Math.min(position, readyCount());
    return new StreamBrowser(log.read(offset), position);
  }

  @Override
  public Counters counters() {
    return counters;
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
