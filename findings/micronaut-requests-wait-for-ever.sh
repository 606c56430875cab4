#!/usr/bin/env bash
# The timeout that is set for requests of a Micronaut client is never applied: a request that gets no reply blocks its thread for ever.
#
# With:      micronaut-rabbitmq 4.8.0 with Micronaut 4.10.15, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  with rabbitmq.rpc.timeout of one second a method that waits for a reply throws after a second when there is none.
# Happens:   the timeout makes a new stream of replies with a timeout, which is dropped, and the one without is used. A request whose
#            server is gone, or whose queue does not exist, waits on, here for 20 seconds until the program ends. Each such call holds a
#            thread and a channel. A request that is answered works.
# Who meets it: who set the timeout so that a server that is down does not block the threads of the service before it.
. "$(dirname "$0")/lib.bash"

java_packages io.micronaut.rabbitmq:micronaut-rabbitmq:4.8.0 io.micronaut:micronaut-messaging:4.10.15 io.micronaut:micronaut-inject:4.10.15 \
  io.micronaut:micronaut-runtime:4.10.15 io.micronaut:micronaut-context:4.10.15 io.micronaut:micronaut-retry:4.10.15 \
  io.micronaut:micronaut-json-core:4.10.15 io.micronaut:micronaut-jackson-databind:4.10.15 io.micronaut:micronaut-inject-java:4.10.15 \
  org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Shop.java" <<'JAVA'
package shop;

import com.rabbitmq.client.ConnectionFactory;
import io.micronaut.context.ApplicationContext;
import io.micronaut.messaging.annotation.MessageBody;
import io.micronaut.rabbitmq.annotation.Binding;
import io.micronaut.rabbitmq.annotation.Queue;
import io.micronaut.rabbitmq.annotation.RabbitClient;
import io.micronaut.rabbitmq.annotation.RabbitListener;
import io.micronaut.rabbitmq.annotation.RabbitProperty;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

public class Shop {
  @RabbitListener
  public static class Server {
    @Queue("prices")
    public String price(@MessageBody String article) {
      return article + " 17";
    }
  }

  @RabbitClient
  @RabbitProperty(name = "replyTo", value = "amq.rabbitmq.reply-to")
  public interface Client {
    @Binding("prices")
    String price(@MessageBody String article);

    @Binding("unserved")
    String unserved(@MessageBody String article);

    @Binding("missing")
    String missing(@MessageBody String article);
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
      channel.queueDeclare("prices", true, false, false, null);
      channel.queueDeclare("unserved", true, false, false, null);
      var context = ApplicationContext.run(Map.of("rabbitmq.host", "127.0.0.1", "rabbitmq.port", port, "rabbitmq.rpc.timeout", "1s"));
      var client = context.getBean(Client.class);
      var served = result("a request that is served", () -> client.price("tea"));
      var unserved = result("a request whose queue has no consumer", () -> client.unserved("tea"));
      var missing = result("a request whose queue does not exist", () -> client.missing("tea"));
      return served.equals("tea 17") && unserved.equals("still waits after 20 seconds") && missing.equals("still waits after 20 seconds");
    }
  }

  static String result(String name, Supplier<String> request) throws InterruptedException {
    String result;
    try {
      result = CompletableFuture.supplyAsync(request).get(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      result = "still waits after 20 seconds";
    } catch (ExecutionException e) {
      result = e.getCause().toString();
    }
    System.out.println("timeout of a second, " + name + ": " + result);
    return result;
  }
}
JAVA
mkdir "$work/classes"
javac -d "$work/classes" -cp "$work/lib/*" -processorpath "$(echo "$work"/lib/*.jar | tr ' ' ':')" "$work/Shop.java" >"$work/javac.log" 2>&1 ||
  not_shown "javac could not compile: $(tail -1 "$work/javac.log")"

verdict java -cp "$work/classes:$work/lib/*" shop.Shop "$amqp_port"
