#!/usr/bin/env bash
# A message that Spring Integration's polled source cannot convert is never rejected nor put back, and each one keeps a channel open.
#
# With:      spring-integration-amqp 7.1.2 with spring-rabbit 4.1.2 and Jackson 3.1.7, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a body that is not the JSON that its content type says is rejected, as a listener of Spring AMQP does with it: the queue's dead
#            letter exchange gets it. Or it is put back.
# Happens:   the poll fails, with an error in the error channel, before the message is there that could be acknowledged or rejected, and the
#            channel on which it was fetched is neither used nor closed any more. The broker waits for its acknowledgement. No dead letter
#            comes, and the queue looks empty. When the connection ends, all of them are there again. With as many as a connection may have
#            channels, 2047 by default and 10 the second time here, the source gets nothing any more.
# Who meets it: who polls a queue, as polled consumers of Spring Cloud Stream do too, when something else publishes to it once.
. "$(dirname "$0")/lib.bash"

java_packages org.springframework.integration:spring-integration-amqp:7.1.2 org.springframework.amqp:spring-rabbit:4.1.2 \
  tools.jackson.core:jackson-databind:3.1.7 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Poll.java" <<'JAVA'
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.amqp.dsl.Amqp;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Pollers;

public class Poll {
  static final int BROKEN = 20;
  static int channels;
  static final AtomicInteger HANDLED = new AtomicInteger();

  @Configuration
  @EnableIntegration
  public static class Application {
    @Bean
    CachingConnectionFactory connections() {
      var connections = new CachingConnectionFactory("127.0.0.1", Integer.getInteger("port"));
      connections.getRabbitConnectionFactory().setRequestedChannelMax(channels);
      return connections;
    }

    @Bean
    IntegrationFlow orders(CachingConnectionFactory connections) {
      return IntegrationFlow.from(
              Amqp.inboundPolledAdapter(connections, "orders").messageConverter(new JacksonJsonMessageConverter()),
              endpoint -> endpoint.poller(Pollers.fixedDelay(20)))
          .handle(order -> HANDLED.incrementAndGet()).get();
    }
  }

  public static void main(String[] args) {
    try {
      boolean same = run(2047, 2, 0);
      same &= run(10, 1, BROKEN + 1 - 10);
      System.exit(same ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  /** Polls one order, some messages that are broken, and another order, and returns whether as much is handled and left as described. */
  static boolean run(int channelMax, int handled, int left) throws Exception {
    channels = channelMax;
    HANDLED.set(0);
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(Integer.getInteger("port"));
    try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueDeclare("orders", true, false, false, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
      channel.queuePurge("orders");
      var json = new AMQP.BasicProperties.Builder().contentType("application/json").headers(Map.of("__TypeId__", "java.lang.Integer")).build();
      channel.basicPublish("", "orders", json, "17".getBytes());
      for (int i = 0; i < BROKEN; i++) {
        channel.basicPublish("", "orders", json, "tea".getBytes());
      }
      channel.basicPublish("", "orders", json, "17".getBytes());
      long ready;
      long dead;
      try (var context = new AnnotationConfigApplicationContext(Application.class)) {
        Thread.sleep(6000);
        ready = channel.messageCount("orders");
        dead = channel.messageCount("dead");
      }
      Thread.sleep(3000);
      long back = channel.messageCount("orders");
      System.out.println("up to " + channelMax + " channels: of 2 orders " + HANDLED.get() + " handled; with " + BROKEN + " others, "
          + ready + " in the queue, dead letters " + dead + "; when the connection of the source is closed " + back + " in the queue");
      return HANDLED.get() == handled && ready == left && dead == 0 && back == BROKEN + 2 - handled;
    }
  }
}
JAVA

verdict java -Dport="$amqp_port" -cp "$work/lib/*" "$work/Poll.java"
