// Apache Camel's component spring-rabbitmq: routes between queues, in Java.

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelExecutionException;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.springrabbit.SpringRabbitMQComponent;
import org.apache.camel.component.springrabbit.SpringRabbitMQConstants;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

public final class CamelRabbitmq {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  // What a route consumes is declared by it: exchange, queue and binding, and those of dead letters.
  // The queue is not durable unless it is said, that of dead letters always.
  private static final String ORDERS =
      "spring-rabbitmq:orders?queues=orders&routingKey=new&arg.queue.durable=true"
          + "&prefetchCount=10&retryDelay=10&maximumRetryAttempts=1";
  private static final String REFUSED =
      "spring-rabbitmq:orders?queues=refused&routingKey=refused&maximumRetryAttempts=2&retryDelay=10"
          + "&deadLetterExchange=dead&deadLetterQueue=dead&deadLetterRoutingKey=dead"
          + "&arg.queue.durable=true&arg.queue.x-queue-type=quorum";
  private static final String MORTAL =
      "spring-rabbitmq:orders?queues=mortal&routingKey=mortal&autoDeclareProducer=true"
          + "&deadLetterExchange=dead&deadLetterRoutingKey=dead&arg.queue.durable=true";
  private static final String QUESTIONS =
      "spring-rabbitmq:questions?queues=questions&routingKey=questions&exchangeType=topic";

  private final CachingConnectionFactory connections;
  private final DefaultCamelContext camel = new DefaultCamelContext();
  private final ProducerTemplate template;
  private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
  private final BlockingQueue<Exchange> dead = new LinkedBlockingQueue<>();
  private final Semaphore permits = new Semaphore(0);
  private int tried;

  private CamelRabbitmq() throws Exception {
    connections = new CachingConnectionFactory(URI.create(URL));
    connections.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.SIMPLE);
    SpringRabbitMQComponent component = new SpringRabbitMQComponent();
    component.setConnectionFactory(connections);
    camel.addComponent("spring-rabbitmq", component);
    camel.addRoutes(new Routes());
    template = camel.createProducerTemplate();
    camel.start();
  }

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    System.out.println("version " + new DefaultCamelContext().getVersion());
    CamelRabbitmq program = new CamelRabbitmq();
    program.declare();
    program.confirms();
    program.prefetch();
    program.request();
    program.deadLetters();
    program.timeToLive();
    program.restart();
    System.exit(0);
  }

  private final class Routes extends RouteBuilder {
    @Override
    public void configure() {
      from(ORDERS)
          .process(
              exchange -> {
                orders.add(exchange.getMessage().getBody(String.class));
                permits.acquire();
              });
      from(REFUSED)
          .process(
              exchange -> {
                tried++;
                throw new IllegalStateException("as asked");
              });
      from("spring-rabbitmq:dead?queues=dead&routingKey=dead&arg.queue.durable=true")
          .process(exchange -> dead.add(exchange.copy()));
      from(QUESTIONS).setBody(body().append(" pong"));
    }
  }

  private void send(String key, String body, Map<String, Object> headers) {
    template.sendBodyAndHeaders(
        "spring-rabbitmq:orders?routingKey=" + key + "&confirm=enabled", body, headers);
  }

  private void declare() throws Exception {
    try (var connection = connections.getRabbitConnectionFactory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclarePassive("orders");
      check(channel.queueDeclarePassive("orders").getConsumerCount() == 1, "no consumer");
      channel.queueDeclare("orders", false, false, false, null);
      throw new AssertionError("the redeclaration was taken");
    } catch (IOException refused) {
      check(refused.getCause().getMessage().contains("reply-code=406"), refused.getCause());
      ok("declare", "what the routes need is declared, and a redeclaration that differs is refused");
    }
  }

  private void confirms() {
    for (int number = 0; number < 100; number++) {
      send("new", Integer.toString(number), Map.of());
    }
    ok("confirms", "100 persistent messages are confirmed");
  }

  private void prefetch() throws Exception {
    // A route that does not go on with its first message leaves all but the prefetch count in the queue.
    check(next(orders).equals("0"), "another message");
    await("10 are on their way", () -> waiting("orders") == 90);
    Thread.sleep(200);
    check(waiting("orders") == 90, waiting("orders") + " wait: more than the prefetch count");
    permits.release(100);
    for (int number = 1; number < 100; number++) {
      String body = next(orders);
      check(body.equals(Integer.toString(number)), "out of order: " + body);
    }
    await("the queue is empty", () -> waiting("orders") == 0);
    ok("prefetch", "10 at a time, and all in order");
  }

  private void request() {
    String answer = template.requestBody(QUESTIONS, "ping", String.class);
    check(answer.equals("ping pong"), answer);
    ok("request", "a route answers through direct reply-to");
  }

  private void deadLetters() throws Exception {
    send("refused", "broken", Map.of());
    Exchange died = next(dead);
    check(died.getMessage().getBody(String.class).equals("broken"), "another dead-lettered message");
    check(tried == 2, "tried " + tried + " times");
    isFirstDeath(died, "refused", "rejected");
    ok("dead-letter", "after two tries x-death tells where and why");
  }

  private void timeToLive() throws Exception {
    Map<String, Object> brief = Map.of(SpringRabbitMQConstants.EXPIRATION, "200");
    long start = System.nanoTime();
    template.sendBodyAndHeaders(MORTAL, "brief", brief);
    Exchange died = next(dead);
    long lived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(lived >= 199, "it lived for " + lived);
    isFirstDeath(died, "mortal", "expired");
    ok("ttl", "it lived for " + lived + " ms of 200");
  }

  private static void isFirstDeath(Exchange died, String queue, String reason) {
    List<?> deaths = died.getMessage().getHeader("x-death", List.class);
    Map<?, ?> death = (Map<?, ?>) deaths.get(0);
    check(death.get("queue").equals(queue), death);
    check(death.get("reason").equals(reason), death);
    check(death.get("exchange").equals("orders"), death);
    check(death.get("count").equals(1L), death);
  }

  private void restart() throws Exception {
    send("new", "kept", Map.of());
    check(next(orders).equals("kept"), "another message");
    // It is not acknowledged before the broker goes: the route waits for a permit.
    System.out.println("restart");
    System.in.read();
    permits.release(1_000);
    check(next(orders).equals("kept"), "it did not come again");
    ok("restart", "the route is connected again and gets its message again");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        send("new", "after", Map.of());
        break;
      } catch (CamelExecutionException e) {
        check(System.nanoTime() < deadline, e);
        Thread.sleep(50);
      }
    }
    check(next(orders).equals("after"), "another message");
    ok("send", "what is sent afterwards arrives");
  }

  private long waiting(String queue) throws Exception {
    try (var connection = connections.getRabbitConnectionFactory().newConnection()) {
      return connection.createChannel().messageCount(queue);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      check(System.nanoTime() < deadline, "not in time: " + what);
      Thread.sleep(20);
    }
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    check(next != null, "no message in 20 s");
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
