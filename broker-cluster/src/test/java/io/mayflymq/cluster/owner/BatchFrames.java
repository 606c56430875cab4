package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.owner.LeaderRig.Frame;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import java.util.List;
import java.util.UUID;

/** The frames by which a node sends batches. */
final class BatchFrames {
  private static final int AWAITED_PUBLISH = 0x80;
  private static final int PUBLISH = 0;
  private static final int ACKNOWLEDGE = 1;
  private static final int UNKNOWN = 99;

  private BatchFrames() {}

  /** A message that is published. */
  record Publish(int message, long queue, boolean isAwaited) {}

  static Frame origin(UUID link, int node) {
    return Frame.of(
        LinkFrame.ORIGIN,
        new ByteWriter()
            .number(link.getMostSignificantBits())
            .number(link.getLeastSignificantBits())
            .number(node));
  }

  /** A queue gets its own number on the link. */
  static Frame queue(long id) {
    return Frame.of(
        LinkFrame.QUEUE, new ByteWriter().number(id).text("/").text("q" + id).number(id));
  }

  static Frame batch(long number, boolean hasConsequences, List<Publish> publishes) {
    ByteWriter out = begin(number, hasConsequences, publishes.size());
    publishes(out, publishes);
    return Frame.of(LinkFrame.COMMANDS, out);
  }

  /** A batch that also acknowledges a message of {@code basic.get}. */
  static Frame batch(long number, long queue, long acknowledged, List<Publish> publishes) {
    ByteWriter out = begin(number, false, publishes.size() + 1);
    out.octet(ACKNOWLEDGE).number(queue).number(0).number(acknowledged).number(1);
    publishes(out, publishes);
    return Frame.of(LinkFrame.COMMANDS, out);
  }

  /** A batch that acknowledges a message of {@code basic.get}, and goes on with nonsense. */
  static Frame unreadable(long number, boolean hasConsequences, long queue, long acknowledged) {
    ByteWriter out = begin(number, hasConsequences, 3);
    out.octet(ACKNOWLEDGE).number(queue).number(0).number(acknowledged).number(1);
    out.octet(UNKNOWN).number(queue);
    return Frame.of(LinkFrame.COMMANDS, out.octet(UNKNOWN).number(queue));
  }

  private static ByteWriter begin(long number, boolean hasConsequences, int count) {
    return new ByteWriter().number(number).bit(hasConsequences).number(count);
  }

  private static void publishes(ByteWriter out, List<Publish> publishes) {
    MessageCodec messages = new MessageCodec();
    messages.begin();
    for (Publish publish : publishes) {
      out.octet(publish.isAwaited ? AWAITED_PUBLISH : PUBLISH).number(publish.queue);
      messages.write(out, NumberedMessage.of(publish.message, true, Message.NO_TTL, 20));
    }
  }
}
