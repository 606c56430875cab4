// Reactor RabbitMQ: publishers and fluxes with backpressure, in Java.

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.rabbitmq.AcknowledgableDelivery;
import reactor.rabbitmq.BindingSpecification;
import reactor.rabbitmq.ConsumeOptions;
import reactor.rabbitmq.ExchangeSpecification;
import reactor.rabbitmq.OutboundMessage;
import reactor.rabbitmq.OutboundMessageResult;
import reactor.rabbitmq.QueueSpecification;
import reactor.rabbitmq.RabbitFlux;
import reactor.rabbitmq.Receiver;
import reactor.rabbitmq.ReceiverOptions;
import reactor.rabbitmq.RpcClient;
import reactor.rabbitmq.SendOptions;
import reactor.rabbitmq.Sender;
import reactor.rabbitmq.SenderOptions;
import reactor.util.retry.Retry;

public final class ReactorRabbitmq {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Sender sender;
  private final Receiver receiver;

  private ReactorRabbitmq(ConnectionFactory factory) {
    sender = RabbitFlux.createSender(new SenderOptions().connectionFactory(factory));
    receiver = RabbitFlux.createReceiver(new ReceiverOptions().connectionFactory(factory));
  }

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    String jar = RabbitFlux.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    System.out.println("version " + jar.replaceAll(".*rabbitmq-(.*)\\.jar", "$1"));
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(URL);
    factory.setNetworkRecoveryInterval(200);
    ReactorRabbitmq client = new ReactorRabbitmq(factory);
    client.declare();
    client.confirms();
    client.prefetch();
    client.timeToLive();
    client.replyTo();
    client.restart();
    client.sender.close();
    client.receiver.close();
    System.exit(0);
  }

  private void declare() {
    sender
        .declare(ExchangeSpecification.exchange("orders").type("direct").durable(true))
        .then(sender.declare(QueueSpecification.queue("orders").durable(true)))
        .then(sender.bind(BindingSpecification.binding("orders", "new", "orders")))
        .block(PATIENCE);
    Throwable refused =
        sender
            .declare(QueueSpecification.queue("orders").durable(false))
            .map(done -> new Throwable("the redeclaration was taken"))
            .onErrorResume(Mono::just)
            .block(PATIENCE);
    check(String.valueOf(refused).contains("406"), refused);
    ok("declare", "a redeclaration that differs is refused");
  }

  private void confirms() {
    AMQP.BasicProperties persistent = new AMQP.BasicProperties.Builder().deliveryMode(2).build();
    Flux<OutboundMessage> messages =
        Flux.range(0, 100)
            .map(number -> new OutboundMessage("orders", "new", persistent, bytes("" + number)));
    List<OutboundMessageResult> results =
        sender.sendWithPublishConfirms(messages).collectList().block(PATIENCE);
    check(
        results.size() == 100 && results.stream().allMatch(OutboundMessageResult::isAck), results);
    ok("confirms", "100 persistent messages are confirmed");
    Mono<OutboundMessage> lost = Mono.just(new OutboundMessage("orders", "nowhere", bytes("lost")));
    OutboundMessageResult result =
        sender
            .sendWithPublishConfirms(lost, new SendOptions().trackReturned(true))
            .blockFirst(PATIENCE);
    check(result.isReturned(), result);
    ok("returns", "a message without a route comes back");
  }

  private void prefetch() throws InterruptedException {
    BlockingQueue<AcknowledgableDelivery> deliveries = new LinkedBlockingQueue<>();
    Disposable subscription =
        receiver
            .consumeManualAck("orders", new ConsumeOptions().qos(10))
            .subscribe(deliveries::add);
    for (int number = 0; number < 100; number++) {
      AcknowledgableDelivery delivery = next(deliveries, 5);
      check(text(delivery).equals("" + number), "out of order: " + text(delivery));
      if (number == 9) {
        check(deliveries.poll(200, TimeUnit.MILLISECONDS) == null, "more than the prefetch count");
      }
      if (number >= 9) {
        delivery.ack(true);
      }
    }
    subscription.dispose();
    ok("prefetch", "10 at a time, and all in order");
  }

  private void timeToLive() throws InterruptedException {
    Map<String, Object> deadLetters =
        Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
    sender
        .declare(QueueSpecification.queue("dead").durable(true))
        .then(
            sender.declare(QueueSpecification.queue("mortal").durable(true).arguments(deadLetters)))
        .block(PATIENCE);
    BlockingQueue<Delivery> dead = new LinkedBlockingQueue<>();
    Disposable subscription = receiver.consumeNoAck("dead").subscribe(dead::add);
    AMQP.BasicProperties brief = new AMQP.BasicProperties.Builder().expiration("200").build();
    long start = System.nanoTime();
    sender
        .send(Mono.just(new OutboundMessage("", "mortal", brief, bytes("brief"))))
        .block(PATIENCE);
    Delivery deadLetter = next(dead, 5);
    long lived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(text(deadLetter).equals("brief"), "another message died");
    check(lived >= 199, "it lived for " + lived);
    ok("ttl", "it lived for " + lived + " ms of 200");
    List<?> deaths = (List<?>) deadLetter.getProperties().getHeaders().get("x-death");
    Map<?, ?> death = (Map<?, ?>) deaths.get(0);
    check(death.get("queue").toString().equals("mortal"), death);
    check(death.get("reason").toString().equals("expired"), death);
    check(death.get("original-expiration").toString().equals("200"), death);
    check(death.get("count").equals(1L), death);
    check(deadLetter.getProperties().getExpiration() == null, "it would die again");
    ok("dead-letter", "x-death tells where and why");
    subscription.dispose();
  }

  /** The library's RPC client, whose answers come by direct reply-to. */
  private void replyTo() {
    Disposable serving =
        receiver
            .consumeAutoAck("orders")
            .map(
                question ->
                    new OutboundMessage(
                        "",
                        question.getProperties().getReplyTo(),
                        new AMQP.BasicProperties.Builder()
                            .correlationId(question.getProperties().getCorrelationId())
                            .build(),
                        bytes("re: " + text(question))))
            .as(sender::send)
            .subscribe();
    try (RpcClient client = sender.rpcClient("orders", "new")) {
      Delivery answer =
          client.rpc(Mono.just(new RpcClient.RpcRequest(bytes("ping")))).block(PATIENCE);
      check(text(answer).equals("re: ping"), text(answer));
    }
    serving.dispose();
    ok("reply-to", "a question is answered through amq.rabbitmq.reply-to");
  }

  private void restart() throws Exception {
    BlockingQueue<Delivery> orders = new LinkedBlockingQueue<>();
    Disposable subscription = receiver.consumeAutoAck("orders").subscribe(orders::add);
    // Subscribing goes on in the background; a message shows that it is done.
    sender.send(Mono.just(new OutboundMessage("orders", "new", bytes("before")))).block(PATIENCE);
    check(text(next(orders, 5)).equals("before"), "another message");
    System.out.println("restart");
    System.in.read();
    // The connections beneath recover by themselves, and the flux goes on.
    Mono<OutboundMessage> after = Mono.just(new OutboundMessage("orders", "new", bytes("after")));
    sender
        .sendWithPublishConfirms(after)
        .retryWhen(Retry.fixedDelay(100, Duration.ofMillis(100)))
        .blockLast(Duration.ofSeconds(60));
    check(text(next(orders, 20)).equals("after"), "another message");
    subscription.dispose();
    ok("restart", "the connections are back, and the flux goes on");
  }

  private static <T> T next(BlockingQueue<T> deliveries, int seconds) throws InterruptedException {
    T delivery = deliveries.poll(seconds, TimeUnit.SECONDS);
    check(delivery != null, "no delivery in " + seconds + " s");
    return delivery;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Delivery delivery) {
    return new String(delivery.getBody(), StandardCharsets.UTF_8);
  }

  private static void ok(String area, String what) {
    System.out.println("ok " + area + " " + what);
  }

  private static void check(boolean condition, Object what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }
}
