package io.mayflymq.cluster.simulation;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;

/**
 * A consumer of a replicated stream, which acknowledges what it gets. It requires that no offset is
 * left out, and that each has the message that it has for all readers.
 */
final class StreamReader implements ConsumerTarget {
  private static final int PREFETCH = 3;

  private final SimulatedClient client;
  private final Queue stream;
  private final List<Integer> numbers;
  private final ShardCommandSender commands;
  private long next;
  private boolean isRefused;

  /**
   * Creates it.
   *
   * @param numbers the numbers of the messages that readers have found, by offset: all readers of a
   *     stream share it
   * @param first the offset that it begins with, not higher than what readers have found
   */
  StreamReader(SimulatedClient client, Queue stream, List<Integer> numbers, long first) {
    this.client = client;
    this.stream = stream;
    this.numbers = numbers;
    this.next = first;
    this.commands =
        new ShardCommandSender(client.home(), client.process().broker().partitions(), () -> {});
  }

  void subscribe() {
    FieldTable arguments = FieldTable.builder().put(StreamOffset.HEADER, next).build();
    ConsumeOptions options = new ConsumeOptions(true, false, PREFETCH, arguments);
    Consumer consumer = new Consumer(ShortString.of("reader"), options, this);
    client
        .home()
        .execute(
            () ->
                stream
                    .requests()
                    .subscribe(consumer, () -> {})
                    .whenComplete((joined, failure) -> isRefused = failure != null));
  }

  SimulatedClient client() {
    return client;
  }

  /** Returns whether it was refused, as the stream had no leader for long. */
  boolean isRefused() {
    return isRefused;
  }

  /** Returns how many messages there are, as far as it has read. */
  long end() {
    return next;
  }

  @Override
  public boolean reserve(Consumer asking) {
    return true;
  }

  @Override
  public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
    int number = NumberedMessage.numberOf(message);
    long offset = message.properties().headers().get(StreamOffset.HEADER).longValue();
    if (offset != next) {
      throw found("offset %d, message %d".formatted(offset, number));
    }
    next++;
    if (offset == numbers.size()) {
      if (numbers.contains(number)) {
        throw found("message %d again at %d".formatted(number, offset));
      }
      numbers.add(number);
    } else if (numbers.get((int) offset) != number) {
      throw found("message %d at %d, not %d".formatted(number, offset, numbers.get((int) offset)));
    }
    client
        .home()
        .execute(
            () -> {
              commands.acknowledge(stream, to, sequence, sequence);
              commands.flush();
            });
  }

  @Override
  public void cancelled(Consumer gone) {
    throw new AssertionError(this + " was cancelled");
  }

  private AssertionError found(String what) {
    return new AssertionError(this + " has found " + what);
  }

  @Override
  public String toString() {
    return "reader at node %d before offset %d".formatted(client.process().node().number(), next);
  }
}
