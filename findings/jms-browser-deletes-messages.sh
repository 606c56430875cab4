#!/usr/bin/env bash
# With RabbitMQ's JMS client, browsing a quorum queue 21 times deletes all messages that are in it.
#
# With:      rabbitmq-jms 3.7.0, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a QueueBrowser looks at the messages of a queue without removing any, as JMS defines it, however often it is used.
# Happens:   each getEnumeration fetches every message with basic.get and then closes its channel, by which they come back. For a
#            quorum queue a message that comes back from a closed channel is one whose delivery failed, and x-delivery-count rises.
#            The default limit is 20 since 4.0: 21 browsers see the messages, the next one sees an empty queue. Without a dead letter
#            exchange they are gone, and no call fails. 4.3 stopped counting basic.nack, but not this. A classic queue keeps them.
# Who meets it: a page or a health check that shows what waits in a queue, by JMS; all the sooner where quorum is the default type
#            of queues, as nothing in the application says so then.
. "$(dirname "$0")/lib.bash"

java_packages com.rabbitmq.jms:rabbitmq-jms:3.7.0 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Browse.java" <<'JAVA'
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.jms.admin.RMQConnectionFactory;
import com.rabbitmq.jms.admin.RMQDestination;
import jakarta.jms.Queue;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueSender;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import java.util.Enumeration;
import java.util.Map;

public class Browse {
  static final int MESSAGES = 3;
  static final int BROWSERS = 30;
  static QueueSession session;
  static Channel channel;

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    RMQConnectionFactory jms = new RMQConnectionFactory();
    jms.setHost("127.0.0.1");
    jms.setPort(port);
    ConnectionFactory amqp = new ConnectionFactory();
    amqp.setHost("127.0.0.1");
    amqp.setPort(port);
    QueueConnection connection = jms.createQueueConnection();
    connection.start();
    session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
    channel = amqp.newConnection().createChannel();
    boolean same = full("classic") == BROWSERS;
    same &= full("quorum") == 21;
    System.exit(same ? 0 : 1);
  }

  /** Returns how many browsers in a row saw all messages. */
  static int full(String type) throws Exception {
    Queue queue = new RMQDestination(type, true, false, Map.of("x-queue-type", type));
    try (QueueSender sender = session.createSender(queue)) {
      for (int i = 0; i < MESSAGES; i++) {
        sender.send(session.createTextMessage("order " + i));
      }
    }
    int full = 0;
    while (full < BROWSERS && ready(type) == MESSAGES) {
      try (var browser = session.createBrowser(queue)) {
        int seen = 0;
        for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); each.nextElement()) {
          seen++;
        }
        if (seen < MESSAGES) {
          break;
        }
      }
      full++;
    }
    System.out.println(type + ": " + full + " browsers saw " + MESSAGES + " messages, and then there are " + ready(type));
    return full;
  }

  /** Returns the messages that are there, once all are, or five seconds later. */
  static long ready(String queue) throws Exception {
    for (int i = 0; i < 50 && channel.messageCount(queue) < MESSAGES; i++) {
      Thread.sleep(100);
    }
    return channel.messageCount(queue);
  }
}
JAVA
verdict java -cp "$work/lib/*" "$work/Browse.java" "$amqp_port"
