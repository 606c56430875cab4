// amqp-client: RabbitMQ's own client for Java.

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.RpcClient;
import com.rabbitmq.client.RpcClientParams;
import com.rabbitmq.client.RpcServer;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService;
import com.rabbitmq.client.impl.DefaultCredentialsProvider;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService.DefaultCredentialsRefreshServiceBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public final class AmqpClient {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");

  /** The nodes of a cluster, that of the URL first; null if there is no cluster. */
  private static final String ADDRESSES = System.getenv("AMQP_ADDRESSES");

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    System.out.println(
        "version " + ConnectionFactory.class.getPackage().getImplementationVersion());
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(URL);
    factory.setNetworkRecoveryInterval(200);
    try (Connection connection = factory.newConnection("example")) {
      Channel channel = connection.createChannel();
      declare(connection, channel);
      confirms(channel);
      prefetch(connection);
      timeToLive(connection);
      replyTo(connection);
      secret();
      restart(channel);
    }
    if (ADDRESSES != null) {
      loseNode();
    }
  }

  private static void declare(Connection connection, Channel channel) throws IOException {
    channel.exchangeDeclare("orders", "direct", true);
    channel.queueDeclare("orders", true, false, false, null);
    channel.queueBind("orders", "orders", "new");
    try {
      connection.createChannel().queueDeclare("orders", false, false, false, null);
      throw new AssertionError("the redeclaration was taken");
    } catch (IOException e) {
      ShutdownSignalException refused = (ShutdownSignalException) e.getCause();
      check(((AMQP.Channel.Close) refused.getReason()).getReplyCode() == 406, refused);
      ok("declare", "a redeclaration that differs is refused");
    }
  }

  private static void confirms(Channel channel) throws Exception {
    channel.confirmSelect();
    for (int number = 0; number < 100; number++) {
      channel.basicPublish(
          "orders", "new", MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(number)));
    }
    channel.waitForConfirmsOrDie(60_000);
    ok("confirms", "100 persistent messages are confirmed");
    BlockingQueue<String> returned = new LinkedBlockingQueue<>();
    channel.addReturnListener(message -> returned.add(message.getReplyText()));
    channel.basicPublish("orders", "nowhere", true, null, bytes("lost"));
    check("NO_ROUTE".equals(returned.poll(60, TimeUnit.SECONDS)), "nothing came back");
    ok("returns", "a message without a route comes back");
  }

  private static void prefetch(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    channel.basicQos(10);
    BlockingQueue<Delivery> deliveries = consume(channel, "orders", false);
    for (int number = 0; number < 100; number++) {
      Delivery delivery = next(deliveries);
      check(text(delivery).equals(Integer.toString(number)), "out of order: " + text(delivery));
      if (number == 9) {
        check(deliveries.poll(200, TimeUnit.MILLISECONDS) == null, "more than the prefetch count");
      }
      if (number >= 9) {
        channel.basicAck(delivery.getEnvelope().getDeliveryTag(), true);
      }
    }
    ok("prefetch", "10 at a time, and all in order");
    channel.close();
  }

  private static void timeToLive(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    channel.queueDeclare("dead", true, false, false, null);
    Map<String, Object> arguments =
        Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
    channel.queueDeclare("mortal", true, false, false, arguments);
    BlockingQueue<Delivery> dead = consume(channel, "dead", true);
    long start = System.nanoTime();
    AMQP.BasicProperties brief = new AMQP.BasicProperties.Builder().expiration("200").build();
    channel.basicPublish("", "mortal", brief, bytes("brief"));
    Delivery deadLetter = next(dead);
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
    channel.close();
  }

  /**
   * The library's RPC client, whose answers come by direct reply-to, without a queue of its own.
   */
  /** Renews the credentials of an open connection, as a program does whose token expires. */
  private static void secret() throws Exception {
    CountDownLatch renewals = new CountDownLatch(3);
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(URL);
    factory.setCredentialsProvider(
        new DefaultCredentialsProvider(factory.getUsername(), factory.getPassword()) {
          @Override
          public Duration getTimeBeforeExpiration() {
            return Duration.ofSeconds(1);
          }

          @Override
          public void refresh() {
            renewals.countDown();
          }
        });
    DefaultCredentialsRefreshService service =
        new DefaultCredentialsRefreshServiceBuilder()
            .refreshDelayStrategy(left -> Duration.ofMillis(10))
            .build();
    factory.setCredentialsRefreshService(service);
    try (Connection connection = factory.newConnection()) {
      check(renewals.await(60, TimeUnit.SECONDS), "the credentials were not renewed");
      connection.createChannel().queueDeclarePassive("orders");
      ok("secret", "the connection goes on with a new secret");
    } finally {
      service.close();
    }
  }

  private static void replyTo(Connection connection) throws Exception {
    RpcServer server =
        new RpcServer(connection.createChannel(), "orders") {
          @Override
          public byte[] handleCall(byte[] question, AMQP.BasicProperties properties) {
            return bytes("re: " + new String(question, StandardCharsets.UTF_8));
          }
        };
    Thread serving =
        new Thread(
            () -> {
              try {
                server.mainloop();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    serving.setDaemon(true);
    serving.start();
    RpcClientParams parameters =
        new RpcClientParams()
            .channel(connection.createChannel())
            .exchange("")
            .routingKey("orders")
            .timeout(60_000);
    RpcClient client = new RpcClient(parameters);
    check(client.stringCall("ping").equals("re: ping"), "another answer");
    client.close();
    server.close();
    ok("reply-to", "a question is answered through amq.rabbitmq.reply-to");
  }

  private static void restart(Channel channel) throws Exception {
    BlockingQueue<Delivery> orders = consume(channel, "orders", true);
    System.out.println("restart");
    System.in.read();
    // The library connects again by itself, and opens the channels and consumers that there were.
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(URL);
    try (Connection other = factory.newConnection();
        Channel publishing = other.createChannel()) {
      publishing.basicPublish("orders", "new", null, bytes("after"));
    }
    Delivery delivery = orders.poll(60, TimeUnit.SECONDS);
    check(delivery != null && text(delivery).equals("after"), "it did not arrive");
    ok("restart", "the connection is back, and its consumer goes on");
  }

  /** The node of the connection ends for good; the queue is on another one. */
  private static void loseNode() throws Exception {
    List<Address> nodes = List.of(Address.parseAddresses(ADDRESSES));
    ConnectionFactory factory = new ConnectionFactory();
    factory.setNetworkRecoveryInterval(200);
    try (Connection other = factory.newConnection(nodes.subList(1, 2));
        Channel channel = other.createChannel()) {
      channel.queueDeclare(
          "elsewhere", true, false, false, Map.of("x-queue-leader-locator", "client-local"));
    }
    // With a list of addresses the library takes any of them; this order is to be kept.
    try (Connection connection = factory.newConnection(() -> nodes);
        Channel channel = connection.createChannel()) {
      BlockingQueue<Delivery> deliveries = consume(channel, "elsewhere", true);
      System.out.println("lose");
      System.in.read();
      try (Connection other = factory.newConnection(nodes.subList(2, 3));
          Channel publishing = other.createChannel()) {
        publishing.basicPublish("", "elsewhere", null, bytes("after"));
      }
      Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
      check(delivery != null && text(delivery).equals("after"), "it did not arrive");
    }
    ok("lose", "the connection is back on another node, and its consumer goes on");
  }

  private static BlockingQueue<Delivery> consume(Channel channel, String queue, boolean autoAck)
      throws IOException {
    BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    channel.basicConsume(queue, autoAck, (tag, delivery) -> deliveries.add(delivery), tag -> {});
    return deliveries;
  }

  private static Delivery next(BlockingQueue<Delivery> deliveries) throws InterruptedException {
    Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
    check(delivery != null, "no delivery in 5 s");
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
