#!/usr/bin/env bash
# A Micronaut listener that returns a Mono acknowledges each message and does nothing with it; one that returns a CompletableFuture may fail.
#
# With:      micronaut-rabbitmq 4.8.0 with Micronaut 4.10.15 and Reactor 3.7.6, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  as with Micronaut's listeners of Kafka, and its controllers, what a method returns is waited for: the message is
#            acknowledged when it completes, and rejected when it fails, as it is when a method throws.
# Happens:   what is returned is looked at only to answer a request. A Mono is not subscribed to, so its work is never begun. A CompletableFuture
#            goes on, and its failure is seen by none. The message is acknowledged at once in both cases.
# Who meets it: who makes a listener asynchronous, or calls a reactive client in it and returns what that returns.
. "$(dirname "$0")/lib.bash"

java_packages io.micronaut.rabbitmq:micronaut-rabbitmq:4.8.0 io.micronaut:micronaut-messaging:4.10.15 io.micronaut:micronaut-inject:4.10.15 \
  io.micronaut:micronaut-runtime:4.10.15 io.micronaut:micronaut-context:4.10.15 io.micronaut:micronaut-retry:4.10.15 \
  io.micronaut:micronaut-json-core:4.10.15 io.micronaut:micronaut-jackson-databind:4.10.15 io.micronaut:micronaut-inject-java:4.10.15 \
  io.projectreactor:reactor-core:3.7.6 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Shop.java" <<'JAVA'
package shop;

import com.rabbitmq.client.ConnectionFactory;
import io.micronaut.context.ApplicationContext;
import io.micronaut.messaging.annotation.MessageBody;
import io.micronaut.rabbitmq.annotation.Queue;
import io.micronaut.rabbitmq.annotation.RabbitListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

public class Shop {
  static final AtomicInteger BEGUN = new AtomicInteger();

  static Object fail() {
    BEGUN.incrementAndGet();
    throw new IllegalStateException("out of stock");
  }

  @RabbitListener
  public static class Listener {
    @Queue("throws")
    public void throwing(@MessageBody String order) {
      fail();
    }

    @Queue("future")
    public CompletionStage<Object> future(@MessageBody String order) {
      return CompletableFuture.supplyAsync(Shop::fail, CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
    }

    @Queue("mono")
    public Mono<Object> mono(@MessageBody String order) {
      return Mono.fromCallable(Shop::fail);
    }
  }

  public static void main(String[] args) {
    try {
      System.exit(run(args[0]) ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  static boolean run(String port) throws Exception {
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(Integer.parseInt(port));
    try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
      channel.queueDeclare("dead", true, false, false, null);
      for (var queue : List.of("throws", "future", "mono")) {
        channel.queueDeclare(queue, true, false, false, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
      }
      ApplicationContext.run(Map.of("rabbitmq.host", "127.0.0.1", "rabbitmq.port", port));
      boolean same = true;
      for (var queue : List.of("throws", "future", "mono")) {
        BEGUN.set(0);
        channel.basicPublish("", queue, null, "17".getBytes());
        Thread.sleep(3000);
        long left = channel.messageCount(queue);
        int dead = channel.queuePurge("dead").getMessageCount();
        System.out.println(queue + ": begun and failed " + BEGUN.get() + " times, left " + left + ", dead letters " + dead);
        same &= BEGUN.get() == (queue.equals("mono") ? 0 : 1) && left == 0 && dead == (queue.equals("throws") ? 1 : 0);
      }
      return same;
    }
  }
}
JAVA
mkdir "$work/classes"
javac -d "$work/classes" -cp "$work/lib/*" -processorpath "$(echo "$work"/lib/*.jar | tr ' ' ':')" "$work/Shop.java" >"$work/javac.log" 2>&1 ||
  not_shown "javac could not compile: $(tail -1 "$work/javac.log")"

verdict java -cp "$work/classes:$work/lib/*" shop.Shop "$amqp_port"
