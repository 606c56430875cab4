package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.queue.MessagePart;
import java.util.List;

/** A part of a queue whose messages have numbers of their own. */
record QueueKey(String vhost, String queue, MessagePart part) {
  /** The number of a part is its place. */
  private static final List<MessagePart> PARTS =
      List.of(MessagePart.QUEUE, MessagePart.SCHEDULE, MessagePart.WAITING_DEAD_LETTERS);

  void write(ByteWriter out) {
    out.text(vhost).text(queue).octet(partNumber());
  }

  static QueueKey read(ByteReader in) {
    String vhost = in.text();
    String queue = in.text();
    return new QueueKey(vhost, queue, part(in.octet()));
  }

  /** Returns the number of the part, as requests have it. */
  int partNumber() {
    return PARTS.indexOf(part);
  }

  /** Returns the part of a number. */
  static MessagePart part(int number) {
    if (number < 0 || number >= PARTS.size()) {
      throw new ByteFormatException("unknown part of a queue: " + number);
    }
    return PARTS.get(number);
  }

  @Override
  public String toString() {
    String name = "queue '%s' in vhost '%s'".formatted(queue, vhost);
    return switch (part) {
      case QUEUE -> name;
      case SCHEDULE -> "scheduled messages of " + name;
      case WAITING_DEAD_LETTERS -> "waiting dead letters of " + name;
    };
  }
}
