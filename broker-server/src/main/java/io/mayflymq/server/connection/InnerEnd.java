package io.mayflymq.server.connection;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.channel.ChannelTap;
import io.mayflymq.shovel.client.InnerChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A channel whose client is within the broker: what it publishes and settles is handled in order,
 * beside the frames of the connection and under the same conditions, which may suspend both.
 */
final class InnerEnd implements InnerChannel, ChannelTap, EndOfBurstListener {
  private final AmqpConnection connection;
  private final Shard home;
  private final int channel;

  /** Has the connection work, on its loop. */
  private final Runnable wake;

  private final OriginalCopies original = new OriginalCopies();
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();

  // On the loop.

  private Receiver receiver;
  private List<Delivery> delivered;

  /** What is being published; null if nothing is. */
  private Publishing publishing;

  /** The message that is published now, or was last. */
  private Message current;

  /** Messages that are published one after the other, as far as the connection may. */
  private static final class Publishing {
    private final List<Message> messages;
    private final ShortString exchange;
    private final ShortString routingKey;
    private final boolean mandatory;
    private int at;

    Publishing(
        List<Message> messages, ShortString exchange, ShortString routingKey, boolean mandatory) {
      this.messages = messages;
      this.exchange = exchange;
      this.routingKey = routingKey;
      this.mandatory = mandatory;
    }
  }

  /**
   * @param wake has the connection call {@link #work} on its loop
   */
  InnerEnd(AmqpConnection connection, int channel, Runnable wake) {
    this.connection = connection;
    this.home = connection.home();
    this.channel = channel;
    this.wake = wake;
  }

  // From the client

  @Override
  public CompletableFuture<Void> receive(Receiver from) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    command(
        () -> {
          receiver = from;
          connection.output().tap(channel, this);
          done.complete(null);
        });
    return done;
  }

  @Override
  public void publish(
      List<Message> messages, String exchange, String routingKey, boolean mandatory) {
    Publishing next =
        new Publishing(messages, shortString(exchange), shortString(routingKey), mandatory);
    command(() -> publishing = next);
  }

  private static ShortString shortString(String text) {
    return text == null ? null : ShortString.of(text);
  }

  @Override
  public void acknowledge(long tag) {
    command(() -> connection.onAck(channel, tag, true));
  }

  @Override
  public void putBack(long tag) {
    command(() -> connection.onMethod(channel, new BasicMethod.Nack(tag, false, true)));
  }

  @Override
  public CompletableFuture<Void> handled() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    command(() -> done.complete(null));
    return done;
  }

  private void command(Runnable command) {
    commands.add(command);
    wake.run();
  }

  /** Handles what waits, until the connection is suspended. In a burst, on the loop. */
  void work() {
    while (!connection.isSuspended()) {
      if (publishing != null) {
        publishNext();
        continue;
      }
      Runnable next = commands.poll();
      if (next == null) {
        return;
      }
      next.run();
    }
  }

  private void publishNext() {
    Publishing now = publishing;
    current = now.messages.get(now.at);
    if (++now.at == now.messages.size()) {
      publishing = null;
    }
    byte[] content = original.of(current);
    connection.publish(
        channel,
        now.exchange == null ? current.exchange() : now.exchange,
        now.routingKey == null ? current.routingKey() : now.routingKey,
        now.mandatory,
        content,
        original.propertiesLength());
  }

  // To the client

  @Override
  public void deliver(long deliveryTag, Message message) {
    if (delivered == null) {
      delivered = new ArrayList<>();
      home.atEndOfBurst(this);
    }
    delivered.add(new Delivery(deliveryTag, message));
  }

  @Override
  public void endOfBurst() {
    List<Delivery> all = delivered;
    delivered = null;
    receiver.delivered(all);
  }

  @Override
  public void settled(long number, boolean multiple, boolean taken) {
    receiver.settled(number, multiple, taken);
  }

  @Override
  public void returned() {
    receiver.returned(current);
  }
}
