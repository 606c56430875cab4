#!/usr/bin/env bash
# With asyncConsumer, Camel acknowledges a message when its processing begins; one whose processing fails then is neither tried again
# nor dead-lettered.
#
# With:      Apache Camel camel-spring-rabbitmq 4.17.0 with Spring AMQP 3.2.8, which it brings, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  asyncConsumer=true lets the consumer take the next message while one is being processed, which may change the order, as its
#            documentation says; a message is acknowledged when its processing has ended, and a failed one tried five times and
#            then dead-lettered, as without it.
# Happens:   the listener returns when the route goes on in another thread, and Spring acknowledges then, in the default mode. A failure
#            only goes to the log. Nor does the prefetch limit how many are in work, and all those are lost when the program dies.
# Who meets it: who turns it on to be faster, in routes with a call over HTTP, a delay or threads.
. "$(dirname "$0")/lib.bash"

java_packages org.apache.camel:camel-spring-rabbitmq:4.17.0 org.apache.camel:camel-core:4.17.0 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Route.java" <<'JAVA'
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

public class Route {
  static final int ORDERS = 10;

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
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueDeclare("orders", true, false, false, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
      channel.queueBind("orders", "sales", "order");
      return process(channel, port, false) & process(channel, port, true);
    }
  }

  /** Processes orders, all of which fail after a second, and returns whether it is as described. */
  static boolean process(Channel channel, int port, boolean async) throws Exception {
    var connections = new CachingConnectionFactory("127.0.0.1", port);
    var begun = new AtomicInteger();
    var failed = new AtomicInteger();
    var camel = new DefaultCamelContext();
    camel.getRegistry().bind("rabbitmq", connections);
    camel.addRoutes(new RouteBuilder() {
      @Override
      public void configure() {
        from("spring-rabbitmq:sales?connectionFactory=#rabbitmq&autoDeclare=false&queues=orders&routingKey=order&prefetchCount=2"
            + "&concurrentConsumers=1&retryDelay=100&asyncConsumer=" + async)
            .process(exchange -> begun.incrementAndGet())
            .delay(1000).asyncDelayed()
            .process(exchange -> {
              failed.incrementAndGet();
              throw new IllegalStateException("out of stock");
            });
      }
    });
    int orders = async ? ORDERS : 1;
    for (int i = 0; i < orders; i++) {
      channel.basicPublish("sales", "order", null, "17".getBytes());
    }
    camel.start();
    Thread.sleep(700);
    int inWork = begun.get();
    Thread.sleep(9000);
    long left = channel.messageCount("orders");
    camel.stop();
    connections.destroy();
    long dead = channel.queuePurge("dead").getMessageCount();
    System.out.println("asyncConsumer=" + async + ", prefetchCount=2: of " + orders + " orders " + inWork + " in work at once, processing failed "
        + failed.get() + " times, left " + left + ", dead letters " + dead);
    return async ? inWork > 2 && failed.get() == orders && left == 0 && dead == 0 : failed.get() == 5 && dead == 1;
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/Route.java" "$amqp_port"
