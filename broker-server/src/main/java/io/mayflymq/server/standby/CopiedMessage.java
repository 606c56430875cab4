package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.PartitionTime;
import java.util.Arrays;

/**
 * A message as the primary gives it to its standby, which keeps it so until it is promoted.
 *
 * @param sequence its number in the primary's queue
 * @param enqueuedAtMillis when it arrived there, in ms since the epoch
 * @param ownDeadlineMillis when it expires by what it brought along, or is due if it is scheduled;
 *     {@link Long#MAX_VALUE} if it does not; in the form of {@link Deadlines}
 * @param returns how often consumers returned it there, as {@link DeliveryCount} packs it
 */
record CopiedMessage(
    long sequence, long enqueuedAtMillis, long ownDeadlineMillis, long returns, Message message) {
  private static final int HAS_DEADLINE = 1;

  /**
   * Writes a message of a queue, with times by the clock of the machine.
   *
   * @param message the message of this number
   * @param time that of the queue's partition
   */
  static byte[] write(MessageReader queue, long sequence, Message message, PartitionTime time) {
    ByteWriter out = new ByteWriter(message.content().length + 128);
    long deadline = queue.ownDeadline(sequence);
    boolean hasDeadline = deadline != Long.MAX_VALUE;
    out.number(sequence)
        .octet(hasDeadline ? HAS_DEADLINE : 0)
        .signed(time.toMachine(queue.enqueuedAt(sequence)));
    if (hasDeadline) {
      out.signed(Deadlines.at(deadline, time.toMachine(Deadlines.moment(deadline))));
    }
    long returns = queue.returns(sequence);
    out.number(DeliveryCount.acquired(returns)).number(DeliveryCount.failed(returns));
    MessageCodec codec = new MessageCodec();
    codec.begin();
    codec.write(out, message);
    return Arrays.copyOf(out.bytes(), out.size());
  }

  /** Returns the number of a message that is written. */
  static long sequenceOf(byte[] written) {
    return new ByteReader(written, written.length).number();
  }

  /**
   * Reads a message.
   *
   * @throws io.mayflymq.core.codec.ByteFormatException if it cannot be read
   */
  static CopiedMessage read(ByteReader in) {
    long sequence = in.number();
    int flags = in.octet();
    long enqueuedAt = in.signed();
    long deadline = (flags & HAS_DEADLINE) == 0 ? Long.MAX_VALUE : in.signed();
    long returns = DeliveryCount.of(in.integer(), in.integer());
    MessageCodec codec = new MessageCodec();
    codec.begin();
    return new CopiedMessage(sequence, enqueuedAt, deadline, returns, codec.read(in));
  }
}
