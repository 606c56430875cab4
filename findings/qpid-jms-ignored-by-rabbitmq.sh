#!/usr/bin/env bash
# Qpid JMS with RabbitMQ: a selector selects everything, and to browse a queue once deletes all its messages.
#
# With:      Qpid JMS 2.7.0 with RabbitMQ 4.3.6 (Debian 4.3.6-1), over AMQP 1.0, classic and quorum queues
# Expected:  what a broker does not have is refused: a delivery delay is ("Remote does not support delayed message delivery"), so a
#            consumer with a selector and a browser, which RabbitMQ's queues know nothing of, would be as well.
# Happens:   the selector "region = 'north'" gets and takes those of all other regions. The browser shows the messages once,
#            and the queue is empty afterwards. There is no exception.
#            The client asks with a filter, and to browse with the distribution mode copy and for messages that are settled as they
#            are sent. The broker answers with no filter and with the mode move, as AMQP 1.0 lets it, and the client goes on.
# Who meets it: who moves from ActiveMQ, Artemis or Broker-J with the same client, or shows what is in a queue by JMS.
. "$(dirname "$0")/lib.bash"

java_packages org.apache.qpid:qpid-jms-client:2.7.0 org.slf4j:slf4j-nop:2.0.17 com.rabbitmq:amqp-client:5.37.0
rabbitmq 4.3.6-1

cat >"$work/Ignored.java" <<'JAVA'
import com.rabbitmq.client.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;

public class Ignored {
  static final List<String> REGIONS = List.of("north", "south", "east", "west");

  static Queue filled(JMSContext context, com.rabbitmq.client.Channel channel, String name, String type) throws Exception {
    channel.queueDeclare(name, true, false, false, Map.of("x-queue-type", type));
    Queue queue = context.createQueue("/queues/" + name);
    for (String region : REGIONS) {
      context.createProducer().setProperty("region", region).send(queue, "order");
    }
    return queue;
  }

  static List<String> selected(JMSContext context, Queue queue) throws JMSException {
    List<String> found = new ArrayList<>();
    try (var consumer = context.createConsumer(queue, "region = 'north'")) {
      for (Message message; (message = consumer.receive(2_000)) != null;) {
        found.add(message.getStringProperty("region"));
      }
    }
    return found;
  }

  static int browsed(JMSContext context, Queue queue) throws JMSException {
    try (var browser = context.createBrowser(queue)) {
      return Collections.list(browser.getEnumeration()).size();
    }
  }

  static boolean refusesDelay(JMSContext context, Queue queue) {
    try {
      context.createProducer().setDeliveryDelay(1_000).send(queue, "later");
      return false;
    } catch (JMSRuntimeException e) {
      System.out.println("delivery delay: " + e.getMessage());
      return true;
    }
  }

  public static void main(String[] args) throws Exception {
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(Integer.parseInt(args[0]));
    boolean same = true;
    try (var connection = factory.newConnection();
        var channel = connection.createChannel();
        var context = new JmsConnectionFactory("guest", "guest", "amqp://127.0.0.1:" + args[0]).createContext()) {
      for (String type : List.of("classic", "quorum")) {
        Queue queue = filled(context, channel, type + "-selector", type);
        List<String> selected = selected(context, queue);
        System.out.println(type + ", selector region = 'north': got " + selected);
        same &= selected.equals(REGIONS);

        queue = filled(context, channel, type + "-browser", type);
        int first = browsed(context, queue);
        long left = channel.messageCount(type + "-browser");
        int second = browsed(context, queue);
        System.out.println(type + ", browser: shows " + first + ", left in the queue " + left + ", the next one shows " + second);
        same &= first == REGIONS.size() && left == 0 && second == 0;
        same &= refusesDelay(context, queue);
      }
    }
    System.exit(same ? 0 : 1);
  }
}
JAVA
verdict timeout 100 java -cp "$work/lib/*" "$work/Ignored.java" "$amqp_port"
