#!/usr/bin/env bash
# A Spring listener that always throws never reaches the delivery limit of a quorum queue.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), Spring AMQP spring-rabbit 4.1.1
# Expected:  a message whose listener throws is dead-lettered after x-delivery-limit 3, that is after four deliveries: this
#            is what the limit is for.
# Happens:   it is delivered without end, hundreds of times within seconds if the listener fails at once. Spring puts it back with
#            basic.nack, in both kinds of containers, and RabbitMQ 4.3 no longer counts that as a failed delivery: only
#            x-acquired-count rises, x-delivery-count is never set. Put back with basic.reject, the same message is
#            dead-lettered after four deliveries, though the two methods are taken as the same thing.
# Who meets it: who relies on the default limit of 20 to get rid of poison messages and goes to 4.3: one such message is delivered
#            as fast as both sides can, for ever, and no dead letter tells of it.
. "$(dirname "$0")/lib.bash"

java_packages org.springframework.amqp:spring-rabbit:4.1.1 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Poison.java" <<'JAVA'
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;

public class Poison {
  static CachingConnectionFactory factory;
  static RabbitAdmin admin;

  public static void main(String[] args) throws Exception {
    factory = new CachingConnectionFactory("127.0.0.1", Integer.parseInt(args[0]));
    admin = new RabbitAdmin(factory);
    boolean same = withContainer("simple", new SimpleMessageListenerContainer(factory));
    same &= withContainer("direct", new DirectMessageListenerContainer(factory));
    same &= withReject();
    System.exit(same ? 0 : 1);
  }

  static void publish(String name) {
    admin.declareQueue(QueueBuilder.durable(name + "-dead").build());
    admin.declareQueue(QueueBuilder.durable(name).quorum().deliveryLimit(3)
        .deadLetterExchange("").deadLetterRoutingKey(name + "-dead").build());
    new RabbitTemplate(factory).convertAndSend("", name, "poison");
  }

  static int dead(String name) {
    return (int) admin.getQueueInfo(name + "-dead").getMessageCount();
  }

  static boolean withContainer(String name, AbstractMessageListenerContainer container) throws Exception {
    publish(name);
    AtomicInteger deliveries = new AtomicInteger();
    AtomicReference<Map<String, Object>> headers = new AtomicReference<>();
    container.setQueueNames(name);
    container.setErrorHandler(error -> {});
    container.setMessageListener((MessageListener) message -> {
      headers.set(message.getMessageProperties().getHeaders());
      deliveries.incrementAndGet();
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new IllegalStateException("the listener fails");
    });
    container.afterPropertiesSet();
    container.start();
    for (int i = 0; i < 300 && deliveries.get() < 30 && dead(name) == 0; i++) {
      Thread.sleep(100);
    }
    container.stop();
    boolean counted = headers.get().containsKey("x-delivery-count");
    System.out.println(name + " container: at least " + Math.min(deliveries.get(), 30) + " deliveries, dead letters "
        + dead(name) + ", headers of the last " + headers.get().keySet());
    return deliveries.get() >= 30 && dead(name) == 0 && !counted;
  }

  static boolean withReject() throws Exception {
    publish("reject");
    int deliveries = 0;
    try (var connection = factory.createConnection(); var channel = connection.createChannel(false)) {
      for (int i = 0; i < 300 && dead("reject") == 0; i++) {
        var message = channel.basicGet("reject", false);
        if (message == null) {
          Thread.sleep(100);
        } else {
          deliveries++;
          channel.basicReject(message.getEnvelope().getDeliveryTag(), true);
        }
      }
    }
    System.out.println("basic.reject: " + deliveries + " deliveries, dead letters " + dead("reject"));
    return deliveries == 4 && dead("reject") == 1;
  }
}
JAVA
verdict java -cp "$work/lib/*" "$work/Poison.java" "$amqp_port"
