package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.Channel;
import io.mayflymq.core.message.Message;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.InnerChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Both ends in this broker: messages pass from one to the other as they are. */
final class InnerEnds extends TransferEnds {
  private static final int PATIENCE_SECONDS = 30;
  private static final String NO_ROUTE = "NO_ROUTE";

  private final InnerChannel taken;
  private final InnerChannel published;
  private final boolean mandatory;
  private List<Message> burst = new ArrayList<>();

  InnerEnds(
      Route route,
      BrokerConnection from,
      Channel source,
      BrokerConnection to,
      Consumer<TransferEvent> events)
      throws IOException {
    super(route, from, source, to, events);
    boolean confirms = route.ackMode() == AckMode.ON_CONFIRM;
    this.mandatory = confirms && !route.dropsUnroutable();
    this.taken = from.within(source);
    this.published = to.within(destination());
    if (confirms) {
      selectConfirms();
    }
    Receiver receiver = new Receiver();
    try {
      CompletableFuture.allOf(taken.receive(receiver), published.receive(receiver))
          .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      throw new IOException("this broker does not answer", e);
    }
  }

  /** A message of the source. */
  private final class Delivered implements TransferEvent.Delivered {
    private final long tag;
    private final Message message;

    Delivered(InnerChannel.Delivery delivery) {
      this.tag = delivery.tag();
      this.message = delivery.message();
    }

    @Override
    public long tag() {
      return tag;
    }

    @Override
    public Object publish() {
      burst.add(message);
      return message;
    }
  }

  private final class Receiver implements InnerChannel.Receiver {
    @Override
    public void delivered(List<InnerChannel.Delivery> messages) {
      tell(new TransferEvent.Several(messages.stream().map(Delivered::new).toList()));
    }

    @Override
    public void settled(long number, boolean multiple, boolean isTaken) {
      tell(new TransferEvent.Settled(number, multiple, isTaken));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the message itself, not one that is like it
    public void returned(Message message) {
      String exchange =
          route().exchange() == null ? message.exchange().value() : route().exchange();
      String key = route().key() == null ? message.routingKey().value() : route().key();
      tell(new TransferEvent.Returned(NO_ROUTE, exchange, key, sent -> sent == message));
    }
  }

  @Override
  void consume() throws IOException {
    consume(
        (envelope, properties, body) -> {
          throw new IllegalStateException("a message has come by the connection");
        });
  }

  @Override
  void begin() {}

  @Override
  void sendPublished() {
    if (!burst.isEmpty()) {
      published.publish(burst, route().exchange(), route().key(), mandatory);
      burst = new ArrayList<>(burst.size());
    }
  }

  @Override
  void sendSettled() {}

  @Override
  void awaitHandled(long millis) throws InterruptedException {
    try {
      CompletableFuture.allOf(published.handled(), taken.handled())
          .get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // What was not acknowledged goes back to its queue, and is moved once more.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  void acknowledge(long tag) {
    taken.acknowledge(tag);
  }

  @Override
  void putBack(long tag) {
    taken.putBack(tag);
  }
}
