// Vert.x RabbitMQ client: futures and streams on an event loop, in Java.

import com.rabbitmq.client.AMQP;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.rabbitmq.QueueOptions;
import io.vertx.rabbitmq.RabbitMQClient;
import io.vertx.rabbitmq.RabbitMQConsumer;
import io.vertx.rabbitmq.RabbitMQMessage;
import io.vertx.rabbitmq.RabbitMQOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public final class VertxRabbitmq {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  private static final JsonObject NONE = new JsonObject();

  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch declared = new CountDownLatch(1);

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    String jar = RabbitMQClient.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    System.out.println("version " + jar.replaceAll(".*client-(.*)\\.jar", "$1"));
    new VertxRabbitmq().run();
    System.exit(0);
  }

  private void run() throws Exception {
    RabbitMQClient client = client();
    await(client.start());
    await(declareAll(client));
    // And on every connection after that, so that all of it is there after a restart too.
    client.addConnectionEstablishedCallback(
        promise -> declareAll(client).onComplete(promise).onSuccess(done -> declared.countDown()));
    declare();
    // The client drops what comes before a consumer has its handler: so it has it before there is
    // anything to deliver.
    RabbitMQClient other = client();
    await(other.start());
    await(other.basicQos(10));
    BlockingQueue<RabbitMQMessage> messages = new LinkedBlockingQueue<>();
    RabbitMQConsumer consumer = consume(other, "orders", false, messages);
    confirms(client);
    prefetch(other, messages);
    await(consumer.cancel());
    await(other.stop());
    timeToLive(client);
    restart(client);
  }

  private RabbitMQClient client() {
    RabbitMQOptions options =
        new RabbitMQOptions()
            .setUri(URL)
            .setAutomaticRecoveryEnabled(false)
            .setReconnectAttempts(100)
            .setReconnectInterval(200);
    return RabbitMQClient.create(vertx, options);
  }

  private static Future<Void> declareAll(RabbitMQClient client) {
    JsonObject deadLetters =
        new JsonObject().put("x-dead-letter-exchange", "").put("x-dead-letter-routing-key", "dead");
    return client
        .exchangeDeclare("orders", "direct", true, false)
        .compose(done -> client.queueDeclare("orders", true, false, false))
        .compose(done -> client.queueBind("orders", "orders", "new"))
        .compose(done -> client.queueDeclare("dead", true, false, false))
        .compose(done -> client.queueDeclare("mortal", true, false, false, deadLetters))
        .compose(done -> client.queueDeclare("temporary", false, false, false))
        .mapEmpty();
  }

  private void declare() throws Exception {
    RabbitMQClient other = client();
    await(other.start());
    try {
      await(other.queueDeclare("orders", false, false, false, NONE));
      throw new AssertionError("the redeclaration was taken");
    } catch (ExecutionException refused) {
      check(refused.getCause().getCause().getMessage().contains("406"), refused);
      ok("declare", "a redeclaration that differs is refused");
    }
    await(other.stop());
  }

  private void confirms(RabbitMQClient client) throws Exception {
    await(client.confirmSelect());
    AMQP.BasicProperties persistent = new AMQP.BasicProperties.Builder().deliveryMode(2).build();
    for (int number = 0; number < 100; number++) {
      Buffer body = Buffer.buffer(Integer.toString(number));
      await(client.basicPublish("orders", "new", persistent, body));
    }
    await(client.waitForConfirms(5_000));
    ok("confirms", "100 persistent messages are confirmed");
  }

  private void prefetch(RabbitMQClient client, BlockingQueue<RabbitMQMessage> messages)
      throws Exception {
    for (int number = 0; number < 100; number++) {
      RabbitMQMessage message = next(messages);
      String body = message.body().toString();
      check(body.equals(Integer.toString(number)), "out of order: " + body);
      if (number == 9) {
        check(messages.poll(200, TimeUnit.MILLISECONDS) == null, "more than the prefetch count");
      }
      if (number >= 9) {
        await(client.basicAck(message.envelope().getDeliveryTag(), true));
      }
    }
    ok("prefetch", "10 at a time, and all in order");
  }

  private void timeToLive(RabbitMQClient client) throws Exception {
    BlockingQueue<RabbitMQMessage> dead = new LinkedBlockingQueue<>();
    RabbitMQConsumer consumer = consume(client, "dead", true, dead);
    AMQP.BasicProperties brief = new AMQP.BasicProperties.Builder().expiration("200").build();
    long start = System.nanoTime();
    await(client.basicPublish("", "mortal", brief, Buffer.buffer("brief")));
    RabbitMQMessage deadLetter = next(dead);
    long lived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(deadLetter.body().toString().equals("brief"), "another message died");
    check(lived >= 199, "it lived for " + lived);
    ok("ttl", "it lived for " + lived + " ms of 200");
    List<?> deaths = (List<?>) deadLetter.properties().getHeaders().get("x-death");
    Map<?, ?> death = (Map<?, ?>) deaths.get(0);
    check(death.get("queue").toString().equals("mortal"), death);
    check(death.get("reason").toString().equals("expired"), death);
    check(death.get("original-expiration").toString().equals("200"), death);
    check(death.get("count").equals(1L), death);
    check(deadLetter.properties().getExpiration() == null, "it would die again");
    ok("dead-letter", "x-death tells where and why");
    await(consumer.cancel());
  }

  private void restart(RabbitMQClient client) throws Exception {
    BlockingQueue<RabbitMQMessage> orders = new LinkedBlockingQueue<>();
    consume(client, "orders", true, orders);
    System.out.println("restart");
    System.in.read();
    // The client connects again by itself, and its consumers subscribe again.
    RabbitMQClient other = client();
    await(other.start());
    await(other.basicPublish("orders", "new", Buffer.buffer("after")));
    RabbitMQMessage message = orders.poll(60, TimeUnit.SECONDS);
    check(message != null && message.body().toString().equals("after"), "it did not arrive");
    ok("restart", "the connection is back, and its consumer goes on");
    check(declared.await(60, TimeUnit.SECONDS), "the callback was not called");
    check(await(other.messageCount("temporary")) == 0, "it is gone");
    ok("callback", "the transient queue was declared again");
    await(other.stop());
  }

  private static RabbitMQConsumer consume(
      RabbitMQClient client, String queue, boolean autoAck, BlockingQueue<RabbitMQMessage> into)
      throws Exception {
    QueueOptions options = new QueueOptions().setAutoAck(autoAck);
    return await(client.basicConsumer(queue, options)).handler(into::add);
  }

  private static RabbitMQMessage next(BlockingQueue<RabbitMQMessage> messages)
      throws InterruptedException {
    RabbitMQMessage message = messages.poll(60, TimeUnit.SECONDS);
    check(message != null, "no delivery in 5 s");
    return message;
  }

  /** Waits for a future; on an event loop one would compose instead. */
  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
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
