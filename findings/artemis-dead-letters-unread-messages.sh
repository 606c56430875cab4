#!/usr/bin/env bash
# When a worker dies ten times with one message in hand, Artemis dead-letters all those that were fetched ahead, which no program has seen.
#
# With:      ActiveMQ Artemis 2.55.0 (artemis-server with artemis-amqp-protocol), Qpid JMS 2.10.0
# Expected:  each time that a worker dies counts as a delivery of the message that it has got from its consumer. After ten times, the
#            default of max-delivery-attempts, that one is dead-lettered; the others, which the program has not received, come next.
# Happens:   when a connection is lost, a delivery is counted for each message that the client had been sent, 1000 by default. So they all
#            are dead-lettered together, having been received not once. When the connection is closed in order, it is one for
#            the message in hand only.
# Who meets it: who has one message that ends its worker, or a worker that is out of memory again and again: up to 999 others go with it.
. "$(dirname "$0")/lib.bash"

java_packages org.apache.artemis:artemis-server:2.55.0 org.apache.artemis:artemis-amqp-protocol:2.55.0 \
  org.apache.qpid:qpid-jms-client:2.10.0 org.slf4j:slf4j-nop:2.0.17

cat >"$work/Orders.java" <<'JAVA'
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.qpid.jms.JmsConnectionFactory;

public class Orders {
  static final int ORDERS = 20;

  public static void main(String[] args) {
    try {
      if (args.length > 1) {
        System.out.print(receive(args[0]));
        System.out.flush();
        Runtime.getRuntime().halt(0);
      }
      System.exit(run(args[0]) ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  static JMSContext connect(String port) {
    return new JmsConnectionFactory("amqp://127.0.0.1:" + port).createContext(JMSContext.CLIENT_ACKNOWLEDGE);
  }

  /** Returns the first order, which is not acknowledged. */
  static String receive(String port) throws JMSException, InterruptedException {
    var context = connect(port);
    var message = (TextMessage) context.createConsumer(context.createQueue("orders")).receive(3000);
    Thread.sleep(500);
    return message == null ? "none" : message.getText();
  }

  static boolean run(String port) throws Exception {
    var settings = new AddressSettings().setDeadLetterAddress(SimpleString.of("dead"));
    var broker = ActiveMQServers.newActiveMQServer(new ConfigurationImpl().setPersistenceEnabled(false).setSecurityEnabled(false)
        .addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + port + "?protocols=AMQP").addAddressSetting("#", settings), false);
    broker.start();
    for (var queue : new String[] {"orders", "dead"}) {
      broker.createQueue(QueueConfiguration.of(queue).setRoutingType(RoutingType.ANYCAST));
    }
    try (var context = connect(port)) {
      for (int i = 1; i <= ORDERS; i++) {
        context.createProducer().send(context.createQueue("orders"), "order " + i);
      }
    }
    for (int i = 0; i < 10; i++) {
      try (var context = connect(port)) {
        context.createConsumer(context.createQueue("orders")).receive(3000);
      }
    }
    Thread.sleep(1000);
    long before = messages(broker, "orders");
    long deadBefore = messages(broker, "dead");
    System.out.println("a worker closes its connection in order ten times, with one order in hand: " + before + " orders left, dead letters "
        + deadBefore);

    var received = new ArrayList<String>();
    for (int i = 0; i < 25 && messages(broker, "dead") == deadBefore; i++) {
      var process = new ProcessBuilder("java", "-cp", System.getProperty("java.class.path"), "Orders", port, "receive")
          .redirectError(ProcessBuilder.Redirect.DISCARD).start();
      received.add(new String(process.getInputStream().readAllBytes()));
      process.waitFor(30, TimeUnit.SECONDS);
      Thread.sleep(1000);
    }
    long left = messages(broker, "orders");
    long dead = messages(broker, "dead") - deadBefore;
    System.out.println("a worker dies " + received.size() + " times, with one order in hand: " + left + " orders left, dead letters " + dead
        + " more; received was " + received.stream().distinct().toList());
    return before == ORDERS - 1 && deadBefore == 1 && received.size() >= 10 && received.stream().allMatch("order 2"::equals)
        && left == 0 && dead == ORDERS - 1;
  }

  static long messages(ActiveMQServer broker, String queue) {
    return broker.locateQueue(queue).getMessageCount();
  }
}
JAVA
mkdir "$work/classes"
javac -d "$work/classes" -cp "$work/lib/*" "$work/Orders.java" >"$work/javac.log" 2>&1 ||
  not_shown "javac could not compile: $(tail -1 "$work/javac.log")"

verdict java -cp "$work/classes:$work/lib/*" Orders "$(free_port)"
