// Spring AMQP: RabbitAdmin, RabbitTemplate and a listener container, in Java.

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.core.QueueInformation;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

public final class SpringAmqp {
  private static final URI ADDRESS =
      URI.create(
          Optional.ofNullable(System.getenv("AMQP_URL"))
              .orElse("amqp://guest:guest@localhost:5672/%2f"));

  /** The nodes of a cluster, that of the URL first; null if there is no cluster. */
  private static final String ADDRESSES = System.getenv("AMQP_ADDRESSES");

  private final CachingConnectionFactory connections = connectionFactory();
  private final RabbitTemplate template = new RabbitTemplate(connections);
  private final RabbitAdmin admin = new RabbitAdmin(template);

  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          e.printStackTrace();
          System.exit(1);
        });
    System.out.println("version " + RabbitTemplate.class.getPackage().getImplementationVersion());
    new SpringAmqp().run();
    System.exit(0);
  }

  private static CachingConnectionFactory connectionFactory() {
    CachingConnectionFactory factory = new CachingConnectionFactory(ADDRESS);
    factory.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
    factory.setPublisherReturns(true);
    return factory;
  }

  /** Spring Boot does most of this from application.properties. */
  private void run() throws Exception {
    template.setMandatory(true);
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      Queue orders = QueueBuilder.durable("orders").build();
      Queue mortal =
          QueueBuilder.durable("mortal")
              .deadLetterExchange("")
              .deadLetterRoutingKey("dead")
              .build();
      DirectExchange exchange = new DirectExchange("orders");
      context.registerBean("orders", Queue.class, () -> orders);
      context.registerBean("mortal", Queue.class, () -> mortal);
      context.registerBean("dead", Queue.class, () -> QueueBuilder.durable("dead").build());
      context.registerBean("temporary", Queue.class, () -> new Queue("temporary", false));
      context.registerBean("exchange", DirectExchange.class, () -> exchange);
      context.registerBean(
          "binding", Binding.class, () -> BindingBuilder.bind(orders).to(exchange).with("new"));
      context.refresh();
      admin.setApplicationContext(context);
      admin.afterPropertiesSet();
      declare();
      confirms();
      prefetch();
      timeToLive();
      replyTo();
      restart();
      if (ADDRESSES != null) {
        loseNode();
      }
    } finally {
      connections.destroy();
    }
  }

  private void declare() {
    // RabbitAdmin declares every such bean whenever a connection opens.
    admin.initialize();
    QueueInformation found = admin.getQueueInfo("orders");
    check(found != null && found.getMessageCount() == 0, found);
    try {
      template.execute(channel -> channel.queueDeclare("orders", false, false, false, null));
      throw new AssertionError("the redeclaration was taken");
    } catch (AmqpIOException refused) {
      check(refused.getCause().getCause().getMessage().contains("406"), refused);
      ok("declare", "RabbitAdmin declares beans; a redeclaration that differs is refused");
    }
  }

  private void confirms() throws Exception {
    for (int number = 0; number < 100; number++) {
      CorrelationData confirmation = new CorrelationData();
      template.convertAndSend("orders", "new", Integer.toString(number), confirmation);
      check(confirmation.getFuture().get(60, TimeUnit.SECONDS).ack(), "refused");
    }
    ok("confirms", "100 persistent messages are confirmed");
    CorrelationData confirmation = new CorrelationData("1");
    template.convertAndSend("orders", "nowhere", "lost", confirmation);
    confirmation.getFuture().get(60, TimeUnit.SECONDS);
    check(confirmation.getReturned().getReplyCode() == 312, "nothing came back");
    ok("returns", "a message without a route comes back");
  }

  private void prefetch() throws Exception {
    BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    CompletableFuture<Void> release = new CompletableFuture<>();
    ChannelAwareMessageListener listener =
        (message, channel) -> {
          messages.add(message);
          long tag = message.getMessageProperties().getDeliveryTag();
          if (tag == 10) {
            release.get(60, TimeUnit.SECONDS);
          }
          if (tag >= 10) {
            channel.basicAck(tag, true);
          }
        };
    SimpleMessageListenerContainer container = container("orders", listener);
    container.setAcknowledgeMode(AcknowledgeMode.MANUAL);
    container.setPrefetchCount(10);
    container.start();
    for (int number = 0; number < 10; number++) {
      check(text(next(messages)).equals(Integer.toString(number)), "out of order");
    }
    check(admin.getQueueInfo("orders").getMessageCount() == 90, "more than the prefetch count");
    release.complete(null);
    for (int number = 10; number < 100; number++) {
      check(text(next(messages)).equals(Integer.toString(number)), "out of order");
    }
    container.destroy();
    ok("prefetch", "10 at a time, and all in order");
  }

  private void timeToLive() throws Exception {
    long start = System.nanoTime();
    template.convertAndSend(
        "",
        "mortal",
        "brief",
        message -> {
          message.getMessageProperties().setExpiration("200");
          return message;
        });
    Message deadLetter = template.receive("dead", 60_000);
    long lived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(deadLetter != null && text(deadLetter).equals("brief"), "no dead letter came");
    check(lived >= 199, "it lived for " + lived);
    ok("ttl", "it lived for " + lived + " ms of 200");
    List<Map<String, ?>> deaths = deadLetter.getMessageProperties().getXDeathHeader();
    Map<String, ?> death = deaths.get(0);
    check(death.get("queue").equals("mortal"), death);
    check(death.get("reason").equals("expired"), death);
    check(death.get("original-expiration").equals("200"), death);
    check(death.get("count").equals(1L), death);
    check(deadLetter.getMessageProperties().getExpiration() == null, "it would die again");
    ok("dead-letter", "x-death tells where and why");
  }

  /** Without a reply address the template uses direct reply-to. */
  private void replyTo() {
    RabbitTemplate answers = new RabbitTemplate(connections);
    MessageListener listener =
        question ->
            answers.convertAndSend(
                "",
                question.getMessageProperties().getReplyTo(),
                "re: " + text(question),
                answer -> {
                  answer
                      .getMessageProperties()
                      .setCorrelationId(question.getMessageProperties().getCorrelationId());
                  return answer;
                });
    SimpleMessageListenerContainer container = container("orders", listener);
    container.start();
    Object answer = template.convertSendAndReceive("orders", "new", "ping");
    check("re: ping".equals(answer), answer);
    container.destroy();
    ok("reply-to", "a question is answered through amq.rabbitmq.reply-to");
  }

  private void restart() throws Exception {
    BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    MessageListener listener = messages::add;
    SimpleMessageListenerContainer container = container("orders", listener);
    container.setRecoveryInterval(200);
    container.start();
    System.out.println("restart");
    System.in.read();
    CorrelationData confirmation = new CorrelationData();
    template.convertAndSend("orders", "new", "after", confirmation);
    check(confirmation.getFuture().get(60, TimeUnit.SECONDS).ack(), "refused");
    Message message = messages.poll(60, TimeUnit.SECONDS);
    check(message != null && text(message).equals("after"), "it did not arrive");
    container.destroy();
    ok("restart", "the template and the listener go on");
    check(admin.getQueueInfo("temporary") != null, "it is gone");
    ok("admin", "RabbitAdmin has declared the transient queue again");
  }

  /** The node of the connection ends for good; the queue is on another one. */
  private static void loseNode() throws Exception {
    CachingConnectionFactory other = new CachingConnectionFactory();
    other.setAddresses(ADDRESSES.split(",")[1]);
    new RabbitAdmin(other)
        .declareQueue(
            QueueBuilder.durable("elsewhere")
                .withArgument("x-queue-leader-locator", "client-local")
                .build());
    other.destroy();
    CachingConnectionFactory any = new CachingConnectionFactory();
    any.setAddresses(ADDRESSES);
    any.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
    BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(any);
    container.setQueueNames("elsewhere");
    container.setMessageListener(messages::add);
    container.setRecoveryInterval(200);
    container.start();
    RabbitTemplate sender = new RabbitTemplate(any);
    sender.convertAndSend("", "elsewhere", "before");
    check(messages.poll(60, TimeUnit.SECONDS) != null, "nothing arrived");
    System.out.println("lose");
    System.in.read();
    // What was written to a connection that is gone is neither an error nor confirmed.
    boolean confirmed = false;
    for (int left = 100; left > 0 && !confirmed; left--) {
      CorrelationData confirmation = new CorrelationData();
      try {
        sender.convertAndSend("", "elsewhere", "after", confirmation);
        confirmed = confirmation.getFuture().get(5, TimeUnit.SECONDS).ack();
      } catch (AmqpException e) {
        Thread.sleep(100);
      }
    }
    check(confirmed, "the template has not found another node");
    Message message = messages.poll(60, TimeUnit.SECONDS);
    while (message != null && !text(message).equals("after")) {
      message = messages.poll(60, TimeUnit.SECONDS);
    }
    check(message != null, "it did not arrive");
    container.destroy();
    any.destroy();
    ok("lose", "the template and the listener go on with another node");
  }

  private SimpleMessageListenerContainer container(String queue, MessageListener listener) {
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(connections);
    container.setQueueNames(queue);
    container.setMessageListener(listener);
    container.setShutdownTimeout(1_000);
    container.setReceiveTimeout(100);
    return container;
  }

  private static Message next(BlockingQueue<Message> messages) throws InterruptedException {
    Message message = messages.poll(60, TimeUnit.SECONDS);
    check(message != null, "no delivery in 5 s");
    return message;
  }

  private static String text(Message message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
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
