package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.vhost.queue.ConsumerOriginCodec;
import java.util.Arrays;

/** Writes a slice of a copy. Belongs to the queue's shard. */
final class CopyWriter implements CopySink {
  private final ByteWriter out = new ByteWriter();
  private final MessageCodec messages = new MessageCodec();
  private int empty;
  private int taken;

  /** Begins a slice. */
  void begin(long nowMillis) {
    messages.begin();
    out.clear().number(taken).signed(nowMillis);
    empty = out.size();
  }

  int size() {
    return out.size();
  }

  /** Returns whether nothing was told since the beginning. */
  boolean isEmpty() {
    return out.size() == empty;
  }

  /** Returns the slice; the next one has the next number. */
  byte[] take() {
    taken++;
    return Arrays.copyOf(out.bytes(), out.size());
  }

  /** Sets which messages are told from now on. */
  void part(CopyRecords.Part part) {
    boolean wasEmpty = isEmpty();
    out.octet(CopyRecords.PART).octet(part.code());
    if (wasEmpty) {
      empty = out.size();
    }
  }

  @Override
  public void message(
      long sequence,
      Message message,
      long deadlineMillis,
      long enqueuedAtMillis,
      boolean redelivered,
      long returns) {
    boolean hasDeadline = deadlineMillis != Deadlines.NEVER;
    out.octet(CopyRecords.MESSAGE)
        .number(sequence)
        .octet(
            (redelivered ? CopyRecords.REDELIVERED : 0)
                | (hasDeadline ? CopyRecords.HAS_DEADLINE : 0))
        .signed(enqueuedAtMillis);
    if (hasDeadline) {
      out.signed(deadlineMillis);
    }
    writeReturns(returns);
    messages.write(out, message);
  }

  @Override
  public void returned(long sequence, long returns) {
    out.octet(CopyRecords.RETURNED).number(sequence);
    writeReturns(returns);
  }

  private void writeReturns(long returns) {
    out.number(DeliveryCount.acquired(returns)).number(DeliveryCount.failed(returns));
  }

  @Override
  public void left(long sequence) {
    out.octet(CopyRecords.LEFT).number(sequence);
  }

  @Override
  public void taken(long sequence) {
    out.octet(CopyRecords.TAKEN).number(sequence);
  }

  @Override
  public void waits(long sequence, long untilMillis) {
    out.octet(CopyRecords.WAITS).number(sequence).signed(untilMillis);
  }

  @Override
  public void ahead(long sequence) {
    out.octet(CopyRecords.AHEAD).number(sequence);
  }

  @Override
  public void next(long sequence) {
    out.octet(CopyRecords.NEXT).number(sequence);
  }

  /** When the queue was last used. */
  void lastUse(long millis) {
    out.octet(CopyRecords.LAST_USE).signed(millis);
  }

  /** The next one of the consumers. */
  void consumer(Consumer consumer) {
    out.octet(CopyRecords.CONSUMER).shortString(consumer.tag());
    ConsumerOriginCodec.write(out, consumer.outlet().origin());
  }
}
