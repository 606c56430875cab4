// RabbitMQ's client for JMS: queues, topics and transactions of JMS over AMQP.

import com.rabbitmq.jms.admin.RMQConnectionFactory;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueRequestor;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

public final class RabbitmqJms {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  private static final int SECOND = 1_000;

  public static void main(String[] args) throws Exception {
    System.out.println(
        "version " + RMQConnectionFactory.class.getPackage().getImplementationVersion());
    try (Connection connection = connect()) {
      queue(connection);
      transaction(connection);
      topic(connection);
      selector(connection);
      request();
      ttl(connection);
    }
    restart();
    System.exit(0);
  }

  private static Connection connect() throws Exception {
    RMQConnectionFactory factory = new RMQConnectionFactory();
    factory.setUri(URL);
    factory.setChannelsQos(10);
    factory.setQueueBrowserReadMax(1000);
    Connection connection = factory.createConnection();
    connection.setClientID("example");
    connection.start();
    return connection;
  }

  private static Session session(Connection connection, int mode) throws JMSException {
    return connection.createSession(mode == Session.SESSION_TRANSACTED, mode);
  }

  private static void send(Session session, Destination to, String... texts) throws JMSException {
    try (MessageProducer producer = session.createProducer(to)) {
      producer.setDeliveryMode(DeliveryMode.PERSISTENT);
      for (String text : texts) {
        producer.send(session.createTextMessage(text));
      }
    }
  }

  private static String next(MessageConsumer consumer) throws JMSException {
    Message message = consumer.receive(5 * SECOND);
    check(message != null, "no message in 5 s");
    return ((TextMessage) message).getText();
  }

  private static void queue(Connection connection) throws JMSException {
    Session session = session(connection, Session.CLIENT_ACKNOWLEDGE);
    Queue queue = session.createQueue("orders");
    MapMessage map = session.createMapMessage();
    map.setLong("number", Long.MAX_VALUE);
    map.setStringProperty("color", "red");
    map.setJMSPriority(4);
    session.createProducer(queue).send(map);
    try (MessageConsumer consumer = session.createConsumer(queue)) {
      MapMessage received = (MapMessage) consumer.receive(5 * SECOND);
      check(received.getLong("number") == Long.MAX_VALUE, received);
      check(received.getStringProperty("color").equals("red"), received);
      received.acknowledge();
    }
    send(session, queue, "a", "b", "c");
    check(Collections.list(session.createBrowser(queue).getEnumeration()).size() == 3, "browsed");
    try (MessageConsumer consumer = session.createConsumer(queue)) {
      check(next(consumer).equals("a"), "another order");
      session.recover();
      check(next(consumer).equals("a"), "a comes again after recover");
      check(List.of(next(consumer), next(consumer)).equals(List.of("b", "c")), "another order");
    }
    session.close();
    ok("queue", "messages are browsed, recovered and come in order");
  }

  private static void transaction(Connection connection) throws JMSException {
    Session session = session(connection, Session.SESSION_TRANSACTED);
    Queue queue = session.createQueue("books");
    send(session, queue, "rolled back");
    session.rollback();
    send(session, queue, "kept");
    session.commit();
    try (MessageConsumer consumer = session.createConsumer(queue)) {
      check(next(consumer).equals("kept"), "another message");
      session.rollback();
      check(next(consumer).equals("kept"), "it does not come again");
      session.commit();
      check(consumer.receive(SECOND / 4) == null, "the other message is there, too");
    }
    session.close();
    ok("transaction", "what is sent and received is committed, or rolled back");
  }

  private static void topic(Connection connection) throws JMSException {
    Session session = session(connection, Session.AUTO_ACKNOWLEDGE);
    Topic topic = session.createTopic("prices");
    MessageConsumer plain = session.createConsumer(topic);
    session.createDurableSubscriber(topic, "durable").close();
    try (MessageProducer producer = session.createProducer(topic)) {
      for (String color : new String[] {"blue", "red"}) {
        producer.send(session.createTextMessage(color));
      }
    }
    check(List.of(next(plain), next(plain)).equals(List.of("blue", "red")), "plain");
    try (MessageConsumer again = session.createDurableSubscriber(topic, "durable")) {
      check(List.of(next(again), next(again)).equals(List.of("blue", "red")), "durable");
    }
    session.unsubscribe("durable");
    session.close();
    ok("topic", "subscribers, one of which was away, get what is theirs");
  }

  /** The broker, not the consumer, leaves out what a selector does not let through. */
  private static void selector(Connection connection) throws JMSException {
    Session session = session(connection, Session.AUTO_ACKNOWLEDGE);
    Topic topic = session.createTopic("offers");
    MessageConsumer plain = session.createConsumer(topic);
    MessageConsumer red = session.createConsumer(topic, "color = 'red' AND price < 10.5");
    MessageConsumer named = session.createConsumer(topic, "color LIKE 'b_u%' OR urgent = TRUE");
    String high = "JMSPriority BETWEEN 7 AND 9 AND size IS NULL";
    session.createDurableSubscriber(topic, "high", high, false).close();
    try (MessageProducer producer = session.createProducer(topic)) {
      for (String color : new String[] {"red", "blue", "green"}) {
        for (int price : new int[] {10, 11}) {
          TextMessage message = session.createTextMessage(color + " " + price);
          message.setStringProperty("color", color);
          message.setIntProperty("price", price);
          message.setBooleanProperty("urgent", color.equals("green") && price == 11);
          int priority = price == 11 ? 8 : 4;
          producer.send(message, DeliveryMode.PERSISTENT, priority, 0);
        }
      }
    }
    List<String> all = List.of("red 10", "red 11", "blue 10", "blue 11", "green 10", "green 11");
    for (String text : all) {
      check(next(plain).equals(text), "the plain subscriber misses " + text);
    }
    check(next(red).equals("red 10"), "another message");
    check(red.receive(SECOND / 4) == null, "one message more");
    check(
        List.of(next(named), next(named), next(named))
            .equals(List.of("blue 10", "blue 11", "green 11")),
        "other messages");
    try (MessageConsumer again = session.createDurableSubscriber(topic, "high", high, false)) {
      check(
          List.of(next(again), next(again), next(again))
              .equals(List.of("red 11", "blue 11", "green 11")),
          "other messages for the durable subscriber");
    }
    session.unsubscribe("high");
    session.close();
    ok("selector", "each subscriber gets what its selector lets through");
  }

  private static void request() throws Exception {
    RMQConnectionFactory factory = new RMQConnectionFactory();
    factory.setUri(URL);
    try (var connection = factory.createQueueConnection()) {
      connection.start();
      QueueSession serving = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
      Queue questions = serving.createQueue("questions");
      serving
          .createConsumer(questions)
          .setMessageListener(
              question -> {
                try {
                  Message answer = serving.createTextMessage("pong");
                  answer.setJMSCorrelationID(question.getJMSMessageID());
                  serving.createProducer(question.getJMSReplyTo()).send(answer);
                } catch (JMSException e) {
                  throw new AssertionError(e);
                }
              });
      QueueSession asking = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
      QueueRequestor requestor = new QueueRequestor(asking, questions);
      TextMessage answer = (TextMessage) requestor.request(asking.createTextMessage("ping"));
      check(answer.getText().equals("pong"), answer);
    }
    ok("request", "a question is answered through a temporary queue");
  }

  private static void ttl(Connection connection) throws Exception {
    Session session = session(connection, Session.AUTO_ACKNOWLEDGE);
    Queue queue = session.createQueue("mortal");
    try (MessageProducer producer = session.createProducer(queue)) {
      producer.setTimeToLive(200);
      producer.send(session.createTextMessage("brief"));
    }
    Thread.sleep(400);
    send(session, queue, "next");
    try (MessageConsumer consumer = session.createConsumer(queue)) {
      check(next(consumer).equals("next"), "it has not expired");
    }
    session.close();
    ok("ttl", "a message is gone after its time to live");
  }

  private static void restart() throws Exception {
    try (Connection connection = connect()) {
      Session session = session(connection, Session.AUTO_ACKNOWLEDGE);
      send(session, session.createQueue("safe"), "kept");
      System.out.println("restart");
      System.in.read();
    } catch (JMSException e) {
      // The connection has ended with its broker.
    }
    try (Connection connection = connect()) {
      Session session = session(connection, Session.AUTO_ACKNOWLEDGE);
      check(next(session.createConsumer(session.createQueue("safe"))).equals("kept"), "lost");
      ok("restart", "the persistent message is there after the broker's restart");
    }
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
