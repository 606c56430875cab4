package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ReturnListener;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.Burst;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/** Both ends as any client has them: messages go through the connections. */
final class ClientEnds extends TransferEnds {
  private final MessageForm form;
  private final Burst fromSource;
  private final Burst toDestination;
  private final boolean confirms;

  /**
   * @param form how messages leave
   */
  ClientEnds(
      Route route,
      BrokerConnection from,
      Channel source,
      BrokerConnection to,
      MessageForm form,
      Consumer<TransferEvent> events)
      throws IOException {
    super(route, from, source, to, events);
    this.form = form;
    this.fromSource = from.burst();
    this.toDestination = to.burst();
    this.confirms = route.ackMode() == AckMode.ON_CONFIRM;
    if (confirms) {
      listenToConfirms();
      selectConfirms();
    }
  }

  private void listenToConfirms() {
    destination()
        .addConfirmListener(
            new ConfirmListener() {
              @Override
              public void handleAck(long number, boolean multiple) {
                tell(new TransferEvent.Settled(number, multiple, true));
              }

              @Override
              public void handleNack(long number, boolean multiple) {
                tell(new TransferEvent.Settled(number, multiple, false));
              }
            });
    destination()
        .addReturnListener(
            (ReturnListener)
                (code, text, exchange, key, properties, body) ->
                    tell(
                        new TransferEvent.Returned(
                            text,
                            exchange,
                            key,
                            sent -> ((Sent) sent).isLike(exchange, key, properties))));
  }

  /** What is kept of a message until it is confirmed. */
  private record Sent(String exchange, String key, Map<String, Object> headers) {
    boolean isLike(String toExchange, String withKey, BasicProperties properties) {
      return exchange.equals(toExchange)
          && key.equals(withKey)
          // As text: what comes back has other classes for texts.
          && String.valueOf(headers).equals(String.valueOf(properties.getHeaders()));
    }
  }

  /** A message of the source. */
  private final class Delivered implements TransferEvent.Delivered {
    private final Envelope envelope;
    private final BasicProperties properties;
    private final byte[] body;

    Delivered(Envelope envelope, BasicProperties properties, byte[] body) {
      this.envelope = envelope;
      this.properties = properties;
      this.body = body;
    }

    @Override
    public long tag() {
      return envelope.getDeliveryTag();
    }

    @Override
    public Object publish() throws IOException {
      String exchange = route().exchange() == null ? envelope.getExchange() : route().exchange();
      String key = route().key() == null ? envelope.getRoutingKey() : route().key();
      BasicProperties leaving = form.of(envelope, properties);
      destination()
          .basicPublish(exchange, key, confirms && !route().dropsUnroutable(), leaving, body);
      return confirms ? new Sent(exchange, key, leaving.getHeaders()) : null;
    }
  }

  @Override
  void consume() throws IOException {
    consume((envelope, properties, body) -> tell(new Delivered(envelope, properties, body)));
  }

  @Override
  void begin() {
    toDestination.begin();
    fromSource.begin();
  }

  @Override
  void sendPublished() throws IOException {
    toDestination.end();
  }

  @Override
  void sendSettled() throws IOException {
    fromSource.end();
  }

  @Override
  void awaitHandled(long millis) {
    // It has been sent before the end of the connection will be.
  }

  @Override
  void acknowledge(long tag) throws IOException {
    source().basicAck(tag, true);
  }

  @Override
  void putBack(long tag) throws IOException {
    source().basicNack(tag, false, true);
  }
}
