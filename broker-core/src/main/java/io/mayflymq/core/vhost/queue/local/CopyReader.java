package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.RemovalStamp;
import io.mayflymq.core.vhost.queue.ConsumerOriginCodec;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Reads the slices of a copy. Belongs to the queue's shard.
 *
 * <p>Slices are numbered. If the process at the new place is another one than at the slice before,
 * or a slice was lost with a connection, the copy is not complete any more, and is refused.
 *
 * <p>The clocks of nodes differ. Their difference is taken once, with the first slice, and added to
 * all times, so that the order of times stays what it is.
 */
final class CopyReader {
  private final Queue queue;
  private final Function<CopyRecords.Part, CopySink> parts;
  private final MessageCodec messages = new MessageCodec();
  private final List<RejoiningConsumers.Member> consumers = new ArrayList<>();
  private long expected;
  private long difference;
  private OptionalLong lastUseMillis = OptionalLong.empty();
  private CopySink sink;
  private CopyRecords.Part part;

  /**
   * Creates it.
   *
   * @param queue the copy, for errors
   * @param parts what takes the messages of a part
   */
  CopyReader(Queue queue, Function<CopyRecords.Part, CopySink> parts) {
    this.queue = queue;
    this.parts = parts;
  }

  /** Returns the consumers of the old place, in their order, as far as that matters. */
  List<RejoiningConsumers.Member> consumers() {
    return consumers;
  }

  /**
   * Returns when the old place was last used, by the clock of this node; empty until it is read.
   */
  OptionalLong lastUseMillis() {
    return lastUseMillis;
  }

  /**
   * Reads a slice.
   *
   * @throws ByteFormatException if it cannot be read
   * @throws io.mayflymq.protocol.types.ChannelException 406 if it does not follow the one before:
   *     that went to an earlier process, or was lost
   */
  void read(byte[] slice, long nowMillis) {
    ByteReader in = new ByteReader(slice, slice.length);
    messages.begin();
    long number = in.number();
    long theirs = in.signed();
    if (number != expected) {
      throw Preconditions.precondition(queue, "has a copy of which a part is missing");
    }
    if (expected++ == 0) {
      difference = nowMillis - theirs;
    }
    while (in.remaining() > 0) {
      readRecord(in);
    }
  }

  private void readRecord(ByteReader in) {
    int kind = in.octet();
    switch (kind) {
      case CopyRecords.PART -> {
        part = CopyRecords.Part.of(in.octet());
        sink = parts.apply(part);
      }
      case CopyRecords.MESSAGE -> readMessage(in);
      case CopyRecords.RETURNED -> sink.returned(in.number(), readReturns(in));
      case CopyRecords.LEFT -> sink.left(in.number());
      case CopyRecords.TAKEN -> sink.taken(in.number());
      case CopyRecords.WAITS -> sink.waits(in.number(), in.signed() + difference);
      case CopyRecords.AHEAD -> sink.ahead(in.number());
      case CopyRecords.NEXT -> sink.next(in.number());
      case CopyRecords.CONSUMER ->
          consumers.add(
              new RejoiningConsumers.Member(in.shortString(), ConsumerOriginCodec.read(in)));
      case CopyRecords.LAST_USE -> lastUseMillis = OptionalLong.of(in.signed() + difference);
      default -> throw new ByteFormatException("unknown record of a copy: " + kind);
    }
  }

  private long here(long deadline) {
    return part == CopyRecords.Part.REMOVED
        ? RemovalStamp.later(deadline, difference)
        : Deadlines.at(deadline, Deadlines.moment(deadline) + difference);
  }

  private static long readReturns(ByteReader in) {
    return DeliveryCount.of(in.integer(), in.integer());
  }

  private void readMessage(ByteReader in) {
    long sequence = in.number();
    int flags = in.octet();
    long enqueuedAt = in.signed() + difference;
    long deadline = (flags & CopyRecords.HAS_DEADLINE) == 0 ? Deadlines.NEVER : here(in.signed());
    long returns = readReturns(in);
    sink.message(
        sequence,
        messages.read(in),
        deadline,
        enqueuedAt,
        (flags & CopyRecords.REDELIVERED) != 0,
        returns);
  }
}
