// SmallRye Reactive Messaging, as Quarkus has it: channels that are configured by properties, in Java with CDI.

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.smallrye.config.inject.ConfigExtension;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.rabbitmq.IncomingRabbitMQMetadata;
import io.smallrye.reactive.messaging.rabbitmq.OutgoingRabbitMQMetadata;
import io.smallrye.reactive.messaging.rabbitmq.RabbitMQConnector;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Metadata;

public final class SmallRyeRabbitmq {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ConnectionFactory factory = new ConnectionFactory();
  private final Orders orders;

  private SmallRyeRabbitmq(Orders orders) throws Exception {
    this.orders = orders;
    factory.setUri(URL);
  }

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    String jar =
        RabbitMQConnector.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    System.out.println("version " + jar.replaceAll(".*rabbitmq-(.*)\\.jar", "$1"));
    configure();
    SeContainer container =
        SeContainerInitializer.newInstance()
            .addExtensions(new ConfigExtension())
            .addBeanClasses(Orders.class)
            .initialize();
    new SmallRyeRabbitmq(container.select(Orders.class).get()).run();
    System.exit(0);
  }

  /** What usually stands in a file of properties. */
  private static void configure() {
    URI uri = URI.create(URL);
    String[] user = uri.getUserInfo().split(":");
    String path = uri.getPath(); // decoded
    set("rabbitmq-host", uri.getHost());
    set("rabbitmq-port", Integer.toString(uri.getPort()));
    set("rabbitmq-username", user[0]);
    set("rabbitmq-password", user[1]);
    set("rabbitmq-virtual-host", path.length() < 2 ? "/" : path.substring(1));
    set("rabbitmq-reconnect-interval", "1");
    set("rabbitmq-reconnect-attempts", "20");
    String out = "mp.messaging.outgoing.";
    set(out + "new-orders.connector", "smallrye-rabbitmq");
    set(out + "new-orders.exchange.name", "orders");
    set(out + "new-orders.default-routing-key", "new.book");
    set(out + "new-orders.publish-confirms", "true");
    set(out + "new-orders.max-inflight-messages", "20");
    set(out + "new-logs.connector", "smallrye-rabbitmq");
    set(out + "new-logs.exchange.name", "logs");
    set(out + "new-logs.exchange.type", "headers");
    set(out + "new-logs.publish-confirms", "true");
    String in = "mp.messaging.incoming.";
    set(in + "orders.connector", "smallrye-rabbitmq");
    set(in + "orders.exchange.name", "orders");
    set(in + "orders.routing-keys", "new.*,old.#");
    set(in + "orders.queue.x-queue-type", "quorum");
    set(in + "orders.queue.x-delivery-limit", "5");
    set(in + "orders.max-outstanding-messages", "10");
    set(in + "orders.failure-strategy", "reject");
    // What is rejected waits in the queue of dead letters, and then comes again.
    set(in + "orders.auto-bind-dlq", "true");
    set(in + "orders.dlx.declare", "true");
    set(in + "orders.dead-letter-ttl", "200");
    set(in + "orders.dead-letter-dlx", "orders");
    set(in + "orders.dead-letter-dlx-routing-key", "old.book");
    set(in + "logs.connector", "smallrye-rabbitmq");
    set(in + "logs.exchange.name", "logs");
    set(in + "logs.exchange.type", "headers");
    set(in + "logs.arguments", "x-match:any,level:high");
    set(in + "logs.queue.x-queue-type", "stream");
    set(in + "logs.consumer-arguments", "x-stream-offset:first");
    set(in + "logs.max-outstanding-messages", "10");
  }

  private static void set(String key, String value) {
    System.setProperty(key, value);
  }

  /** The application: methods that get what is sent to their channels. */
  @ApplicationScoped
  public static class Orders {
    @Inject
    @Channel("new-orders")
    MutinyEmitter<String> newOrders;

    @Inject
    @Channel("new-logs")
    MutinyEmitter<String> newLogs;

    final BlockingQueue<Message<byte[]>> received = new LinkedBlockingQueue<>();
    final BlockingQueue<Message<byte[]>> logged = new LinkedBlockingQueue<>();

    /** Keeps what comes; whoever takes it acknowledges it, or not. */
    @Incoming("orders")
    public CompletionStage<Void> order(Message<byte[]> message) {
      received.add(message);
      return CompletableFuture.completedFuture(null);
    }

    @Incoming("logs")
    public CompletionStage<Void> log(Message<byte[]> message) {
      logged.add(message);
      return message.ack();
    }

    public void send(Object text) {
      newOrders.sendAndAwait(text.toString());
    }

    public BlockingQueue<Message<byte[]>> received() {
      return received;
    }

    public BlockingQueue<Message<byte[]>> logged() {
      return logged;
    }

    public void log(String text, Map<String, Object> headers) {
      OutgoingRabbitMQMetadata metadata = OutgoingRabbitMQMetadata.builder().withHeaders(headers).build();
      newLogs.sendMessageAndAwait(Message.of(text, Metadata.of(metadata)));
    }
  }

  private void run() throws Exception {
    declare();
    confirms();
    prefetch();
    deadLetters();
    stream();
    restart();
  }

  /** The container is ready before its channels have declared anything. */
  private void declare() throws Exception {
    await("a consumer", () -> consumers("orders") == 1);
    try (Connection connection = factory.newConnection()) {
      com.rabbitmq.client.Channel channel = connection.createChannel();
      for (String exchange : List.of("orders", "DLX", "logs")) {
        channel.exchangeDeclarePassive(exchange);
      }
      channel.queueDeclarePassive("orders.dlq");
      channel.queueDeclare("orders", true, false, false, Map.of("x-queue-type", "quorum"));
      throw new AssertionError("the redeclaration was taken");
    } catch (IOException refused) {
      String reason = refused.getCause().getMessage();
      check(reason.contains("reply-code=406"), reason);
      ok("declare", "what the channels need is declared, and a redeclaration that differs is refused");
    }
  }

  private int consumers(String queue) throws Exception {
    try (Connection connection = factory.newConnection()) {
      return connection.createChannel().queueDeclarePassive(queue).getConsumerCount();
    } catch (IOException notYet) {
      return 0;
    }
  }

  private void confirms() {
    for (int number = 0; number < 100; number++) {
      orders.send(number);
    }
    ok("confirms", "100 messages are confirmed");
  }

  private void prefetch() throws Exception {
    for (int number = 0; number < 100; number++) {
      Message<byte[]> message = next(orders.received());
      check(text(message).equals(Integer.toString(number)), "out of order: " + text(message));
      if (number == 0) {
        await("10 are delivered", () -> orders.received().size() == 9);
        Thread.sleep(200);
        check(orders.received().size() == 9, "more than the prefetch count");
      }
      acknowledge(message);
    }
    ok("prefetch", "10 at a time, and all in order");
  }

  /** A message that is refused comes again after its time in the queue of dead letters. */
  private void deadLetters() throws Exception {
    orders.send("again");
    Message<byte[]> message = next(orders.received());
    long start = System.nanoTime();
    message.nack(new IllegalStateException("as asked")).toCompletableFuture().get(60, TimeUnit.SECONDS);
    Message<byte[]> again = next(orders.received());
    long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(text(again).equals("again"), "another message");
    check(waited >= 199, "it waited for " + waited);
    check(metadata(again).getRoutingKey().equals("old.book"), metadata(again).getRoutingKey());
    ok("ttl", "a refused message comes again after " + waited + " ms of 200");
    List<?> deaths = (List<?>) metadata(again).getHeaders().get("x-death");
    check(deaths.size() == 2, deaths);
    isDeath((Map<?, ?>) deaths.get(0), "orders.dlq", "expired", "DLX");
    isDeath((Map<?, ?>) deaths.get(1), "orders", "rejected", "orders");
    ok("dead-letter", "x-death tells where and why, twice");
    acknowledge(again);
  }

  private static void isDeath(Map<?, ?> death, String queue, String reason, String exchange) {
    check(death.get("queue").toString().equals(queue), death);
    check(death.get("reason").toString().equals(reason), death);
    check(death.get("exchange").toString().equals(exchange), death);
    check(death.get("count").equals(1L), death);
  }

  private void stream() throws Exception {
    orders.log("loud", Map.of("level", "high"));
    orders.log("soft", Map.of("level", "low"));
    orders.log("louder", Map.of("level", "high"));
    check(text(next(orders.logged())).equals("loud"), "another message");
    Message<byte[]> second = next(orders.logged());
    check(text(second).equals("louder"), "another message");
    check(metadata(second).getHeaders().get("x-stream-offset").equals(1L), "another offset");
    ok("stream", "what a headers exchange lets into a stream is read from the first on");
  }

  private void restart() throws Exception {
    orders.send("kept");
    check(text(next(orders.received())).equals("kept"), "another message");
    // Nobody acknowledges it before the broker goes. It has no delivery mode: the quorum queue keeps it.
    System.out.println("restart");
    System.in.read();
    Message<byte[]> again = next(orders.received());
    check(text(again).equals("kept"), "another message: " + text(again));
    check(metadata(again).isRedeliver(), "it is not marked as redelivered");
    acknowledge(again);
    ok("restart", "the consumer is back, and what was not acknowledged comes again");
    orders.send("after");
    check(text(next(orders.received())).equals("after"), "another message");
    ok("send", "what is sent afterwards arrives");
  }

  private static void acknowledge(Message<byte[]> message) throws Exception {
    message.ack().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static String text(Message<byte[]> message) {
    return new String(message.getPayload());
  }

  private static IncomingRabbitMQMetadata metadata(Message<byte[]> message) {
    return message.getMetadata(IncomingRabbitMQMetadata.class).orElseThrow();
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      check(System.nanoTime() < deadline, "not in time: " + what);
      Thread.sleep(20);
    }
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    check(next != null, "no message in " + PATIENCE);
    return next;
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
