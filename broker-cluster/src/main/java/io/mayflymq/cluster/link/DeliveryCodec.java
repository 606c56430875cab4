package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;

/**
 * Writes and reads the deliveries of a {@link LinkFrame#DELIVER}: the number of the consumer,
 * flags, the sequence number, the time left, the message. One for each direction of a connection;
 * belongs to one thread.
 */
public final class DeliveryCodec {
  private static final int REDELIVERED = 1;
  private static final int ACKNOWLEDGED = 2;
  private static final int EXPIRES = 4;

  /** Receives what is read. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * A message is delivered.
     *
     * @param consumer its number
     * @param sequence the message's number in the queue; -1 if it needs no settlement
     * @param millisLeft how long from now on it may be delivered, in ms; {@link Deadlines#NEVER}
     *     for ever
     */
    void delivered(
        long consumer, long sequence, Message message, boolean redelivered, long millisLeft);
  }

  private final boolean hasTimes;
  private final MessageCodec messages = new MessageCodec();

  /**
   * Creates it for a connection.
   *
   * @param version see {@link LinkVersion}
   */
  public DeliveryCodec(int version) {
    this.hasTimes = version >= LinkVersion.OF_DEADLINES;
  }

  /** Begins a frame. */
  public void begin() {
    messages.begin();
  }

  /** Writes a delivery; parameters as in {@link Receiver#delivered}. */
  public void write(
      ByteWriter out,
      long consumer,
      long sequence,
      Message message,
      boolean redelivered,
      long millisLeft) {
    boolean expires = hasTimes && millisLeft != Deadlines.NEVER;
    out.number(consumer);
    out.octet(
        (redelivered ? REDELIVERED : 0)
            | (sequence >= 0 ? ACKNOWLEDGED : 0)
            | (expires ? EXPIRES : 0));
    if (sequence >= 0) {
      out.number(sequence);
    }
    if (expires) {
      out.number(millisLeft);
    }
    messages.write(out, message);
  }

  /** Reads the deliveries of a frame. */
  public void read(ByteReader in, Receiver receiver) {
    begin();
    int known = REDELIVERED | ACKNOWLEDGED | (hasTimes ? EXPIRES : 0);
    while (in.remaining() > 0) {
      long consumer = in.number();
      int flags = in.octet();
      if ((flags & ~known) != 0) {
        throw new ByteFormatException("unknown flags of a delivery: " + flags);
      }
      long sequence = (flags & ACKNOWLEDGED) == 0 ? -1 : in.number();
      long millisLeft = (flags & EXPIRES) == 0 ? Deadlines.NEVER : in.number();
      if (millisLeft < 0) {
        throw new ByteFormatException("a delivery with %d ms left".formatted(millisLeft));
      }
      receiver.delivered(
          consumer, sequence, messages.read(in), (flags & REDELIVERED) != 0, millisLeft);
    }
  }
}
