#!/usr/bin/env bash
# A Camel route that passes messages on sends one that has a reply_to five times, and then dead-letters it.
#
# With:      Apache Camel camel-spring-rabbitmq 4.17.0 with Spring AMQP 3.2.8, which it brings, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  from("spring-rabbitmq:sales?queues=orders...").to("spring-rabbitmq:billing...") sends each message on, once; one with a reply_to
#            too, with that reply_to, so that who handles it can answer.
# Happens:   a reply_to makes the whole route one that answers, so that the second endpoint makes a request of its own: it puts its own reply
#            address into the message, waits for an answer, and fails after 30 seconds without one, 2 seconds here. The consumer
#            tries five times by default, each time with a new message to the second exchange, and then rejects the message. All that
#            time the messages behind it wait, and the sender gets no answer. With a reply_to but no correlation_id it fails each time
#            before anything is sent, so that billing gets none.
#            The option disableReplyTo=true of the first endpoint makes it pass on once, with the reply_to of the sender.
# Who meets it: who routes messages between exchanges, when one of the senders sets reply_to, as frameworks for requests do.
. "$(dirname "$0")/lib.bash"

java_packages org.apache.camel:camel-spring-rabbitmq:4.17.0 org.apache.camel:camel-core:4.17.0 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Route.java" <<'JAVA'
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import java.util.HashSet;
import java.util.Map;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

public class Route {
  public static void main(String[] args) {
    try {
      System.exit(run(Integer.parseInt(args[0])) ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  static boolean run(int port) throws Exception {
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
      channel.exchangeDeclare("sales", BuiltinExchangeType.DIRECT, true);
      channel.exchangeDeclare("billing", BuiltinExchangeType.DIRECT, true);
      channel.queueDeclare("bills", true, false, false, null);
      channel.queueBind("bills", "billing", "bill");
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueDeclare("orders", true, false, false, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
      channel.queueBind("orders", "sales", "order");
      channel.queueDeclare("answers", true, false, false, null);

      boolean same = passOn(channel, port, "", null, null, 1, 0);
      same &= passOn(channel, port, "", "answers", "a1", 5, 1);
      same &= passOn(channel, port, "", "answers", null, 0, 1);
      same &= passOn(channel, port, "&disableReplyTo=true", "answers", "a1", 1, 0);
      return same;
    }
  }

  /** Publishes one order to the route with the options, and returns whether as many bills and dead letters come of it as described. */
  static boolean passOn(Channel channel, int port, String options, String replyTo, String correlationId, int bills, int dead)
      throws Exception {
    var connections = new CachingConnectionFactory("127.0.0.1", port);
    var camel = new DefaultCamelContext();
    camel.getRegistry().bind("rabbitmq", connections);
    camel.addRoutes(new RouteBuilder() {
      @Override
      public void configure() {
        from("spring-rabbitmq:sales?connectionFactory=#rabbitmq&autoDeclare=false&queues=orders&routingKey=order" + options)
            .to("spring-rabbitmq:billing?connectionFactory=#rabbitmq&routingKey=bill&replyTimeout=2000");
      }
    });
    camel.start();
    var properties = new AMQP.BasicProperties.Builder().replyTo(replyTo).correlationId(correlationId).build();
    channel.basicPublish("sales", "order", properties, "17".getBytes());
    for (int i = 0; i < 200 && (channel.messageCount("bills") < bills || channel.messageCount("dead") < dead); i++) {
      Thread.sleep(100);
    }
    Thread.sleep(3000);
    int billed = 0;
    var replies = new HashSet<String>();
    for (var bill = channel.basicGet("bills", true); bill != null; bill = channel.basicGet("bills", true)) {
      billed++;
      replies.add(bill.getProps().getReplyTo());
    }
    int deadLetters = channel.queuePurge("dead").getMessageCount();
    int answers = channel.queuePurge("answers").getMessageCount();
    boolean kept = replies.size() == 1 && replies.contains(replyTo);
    System.out.println("an order with reply_to " + replyTo + " and correlation_id " + correlationId + options + ": " + billed + " times to billing, reply_to kept: " + kept
        + ", dead letters " + deadLetters + ", answers " + answers);
    camel.stop();
    connections.destroy();
    return billed == bills && deadLetters == dead && answers == 0 && kept == (bills == 1);
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/Route.java" "$amqp_port"
