#!/usr/bin/env bash
# When received messages are passed on with reactor-rabbitmq, another message counts as returned, and the returned one as delivered.
#
# With:      reactor-rabbitmq 1.5.6 with amqp-client 5.14.2, which it brings, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  with trackReturned the result of each message says whether it was returned because no queue took it.
# Happens:   a header of each message, reactor_rabbitmq_delivery_tag, tells the sender which of its messages it is. A message that has that header
#            keeps it: passed on with the properties that it came with, it has the number that it had for the sender before. Its return is
#            taken for one of the message with that number, which is in a queue, and it counts itself as delivered.
# Who meets it: who passes on messages with their properties that were sent with trackReturned as well, and sends again, or stores, what
#            was returned: the wrong message is there twice, and the other one nowhere.
. "$(dirname "$0")/lib.bash"

java_packages io.projectreactor.rabbitmq:reactor-rabbitmq:1.5.6 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/PassOn.java" <<'JAVA'
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import reactor.core.publisher.Flux;
import reactor.rabbitmq.OutboundMessage;
import reactor.rabbitmq.RabbitFlux;
import reactor.rabbitmq.SendOptions;
import reactor.rabbitmq.SenderOptions;

public class PassOn {
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
    factory.useNio();
    try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, null);
      channel.queueDeclare("bills", true, false, false, null);
      var orders = new ArrayList<OutboundMessage>();
      for (int i = 1; i <= 5; i++) {
        orders.add(new OutboundMessage("", "orders", ("order " + i).getBytes()));
      }
      var first = returned(factory, orders);

      var passedOn = new ArrayList<OutboundMessage>();
      for (var order = channel.basicGet("orders", true); order != null; order = channel.basicGet("orders", true)) {
        var queue = new String(order.getBody()).equals("order 4") ? "missing" : "bills";
        passedOn.add(new OutboundMessage("", queue, order.getProps(), order.getBody()));
      }
      Collections.reverse(passedOn);
      var second = returned(factory, passedOn);
      var bills = bodies(channel, "bills");
      System.out.println("sent to a queue that exists, returned: " + first);
      System.out.println("passed on, order 4 to a queue that does not exist, the last first, returned: " + second + ", in the queue: " + bills);
      return first.isEmpty() && second.equals(List.of("order 2"))
          && bills.equals(new TreeSet<>(List.of("order 1", "order 2", "order 3", "order 5")));
    }
  }

  /** Sends the messages with a sender of their own, and returns those that count as returned. */
  static List<String> returned(ConnectionFactory factory, List<OutboundMessage> messages) {
    try (var sender = RabbitFlux.createSender(new SenderOptions().connectionFactory(factory))) {
      return sender.sendWithPublishConfirms(Flux.fromIterable(messages), new SendOptions().trackReturned(true))
          .filter(result -> result.isReturned())
          .map(result -> new String(result.getOutboundMessage().getBody()))
          .collectList().block(Duration.ofSeconds(30));
    }
  }

  static TreeSet<String> bodies(Channel channel, String queue) throws Exception {
    var bodies = new TreeSet<String>();
    for (var message = channel.basicGet(queue, true); message != null; message = channel.basicGet(queue, true)) {
      bodies.add(new String(message.getBody()));
    }
    return bodies;
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/PassOn.java" "$amqp_port"
