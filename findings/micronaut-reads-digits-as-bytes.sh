#!/usr/bin/env bash
# A Micronaut listener that takes an int reads 2026 as 842019382, and rejects 17; one that takes a Boolean takes 0 for true.
#
# With:      micronaut-rabbitmq 4.8.0 with Micronaut 4.10.15, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a listener's method with a number gets the number that the message's text or JSON says, as one with an object gets its JSON;
#            a client's method with a number sends it as text or JSON, with a content type.
# Happens:   numbers and Booleans are their bytes in memory, whatever the content type: four for an int, eight for a long or a
#            double, one for a Boolean. Text of exactly that length is taken for those bytes, so that a year, or a date of eight digits, is
#            another number, without an error. Text of any other length is rejected, so that it is dead-lettered, or lost. What a
#            client sends has no content type.
# Who meets it: who gets a number from, or sends one to, a program that does not use Micronaut.
. "$(dirname "$0")/lib.bash"

java_packages io.micronaut.rabbitmq:micronaut-rabbitmq:4.8.0 io.micronaut:micronaut-messaging:4.10.15 io.micronaut:micronaut-inject:4.10.15 \
  io.micronaut:micronaut-runtime:4.10.15 io.micronaut:micronaut-context:4.10.15 io.micronaut:micronaut-retry:4.10.15 \
  io.micronaut:micronaut-json-core:4.10.15 io.micronaut:micronaut-jackson-databind:4.10.15 io.micronaut:micronaut-inject-java:4.10.15 \
  org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Shop.java" <<'JAVA'
package shop;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import io.micronaut.context.ApplicationContext;
import io.micronaut.messaging.annotation.MessageBody;
import io.micronaut.rabbitmq.annotation.Binding;
import io.micronaut.rabbitmq.annotation.Queue;
import io.micronaut.rabbitmq.annotation.RabbitClient;
import io.micronaut.rabbitmq.annotation.RabbitListener;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;

public class Shop {
  static final ConcurrentLinkedQueue<String> GOT = new ConcurrentLinkedQueue<>();

  @RabbitListener
  public static class Listener {
    @Queue("int")
    public void number(int value) {
      GOT.add("int " + value);
    }

    @Queue("long")
    public void longNumber(Long value) {
      GOT.add("long " + value);
    }

    @Queue("double")
    public void price(double value) {
      GOT.add("double " + value);
    }

    @Queue("boolean")
    public void flag(Boolean value) {
      GOT.add("boolean " + value);
    }
  }

  @RabbitClient
  public interface Client {
    @Binding("sent")
    void send(@MessageBody int value);
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
      channel.queueDeclare("sent", true, false, false, null);
      channel.queueDeclare("dead", true, false, false, null);
      for (var queue : List.of("int", "long", "double", "boolean")) {
        channel.queueDeclare(queue, true, false, false, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
      }
      var context = ApplicationContext.run(Map.of("rabbitmq.host", "127.0.0.1", "rabbitmq.port", port));
      var json = new AMQP.BasicProperties.Builder().contentType("application/json").build();
      for (var message : List.of("int 2026", "int 17", "long 20261130", "long 17", "double 12345.75", "double 0.5",
          "boolean 0", "boolean false", "boolean true")) {
        channel.basicPublish("", message.split(" ")[0], json, message.split(" ")[1].getBytes());
      }
      Thread.sleep(4000);
      var dead = new TreeSet<String>();
      for (var message = channel.basicGet("dead", true); message != null; message = channel.basicGet("dead", true)) {
        dead.add(message.getProps().getHeaders().get("x-first-death-queue") + " " + new String(message.getBody()));
      }
      context.getBean(Client.class).send(17);
      Thread.sleep(1000);
      var sent = channel.basicGet("sent", true);
      var got = new TreeSet<>(GOT);
      System.out.println("of JSON 2026, 17, 20261130, 17, 12345.75, 0.5, 0, false and true the listeners got: " + String.join(", ", got));
      System.out.println("rejected: " + String.join(", ", dead));
      System.out.println("a client sent 17 as " + Arrays.toString(sent.getBody()) + " with the content type " + sent.getProps().getContentType());
      return got.equals(new TreeSet<>(List.of("int 842019382", "long 3616445709113439024", "double 1.0300843655147183E-71", "boolean true")))
          && dead.equals(new TreeSet<>(List.of("int 17", "long 17", "double 0.5", "boolean false", "boolean true")))
          && Arrays.equals(sent.getBody(), new byte[] {0, 0, 0, 17}) && sent.getProps().getContentType() == null;
    }
  }
}
JAVA
mkdir "$work/classes"
javac -d "$work/classes" -cp "$work/lib/*" -processorpath "$(echo "$work"/lib/*.jar | tr ' ' ':')" "$work/Shop.java" >"$work/javac.log" 2>&1 ||
  not_shown "javac could not compile: $(tail -1 "$work/javac.log")"

verdict java -cp "$work/classes:$work/lib/*" shop.Shop "$amqp_port"
