#!/usr/bin/env bash
# After a publish to an exchange that does not exist, Vert.x' client says it is confirmed, and its consumers get nothing any more.
#
# With:      vertx-rabbitmq-client 5.2.3 with amqp-client 5.35.0, which it brings, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  the publish fails, at the latest when it waits for the confirm, and the consumers of the client go on, or get an exception
#            or the end.
# Happens:   a client has one channel for all it does, which an error closes, with all consumers. The next call opens another one without a
#            word: waitForConfirms finds nothing outstanding on it, and succeeds. The consumers stay with the closed channel, without a call of
#            their exceptionHandler or endHandler, while the client says that it is connected. The same happens when the messages of a
#            queue are counted that does not exist. Automatic recovery is only for lost connections.
# Who meets it: who publishes and consumes with one client, when an exchange is missing once: consuming stops until a restart, and
#            what is published works again.
. "$(dirname "$0")/lib.bash"

java_packages io.vertx:vertx-rabbitmq-client:5.2.3 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Client.java" <<'JAVA'
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.rabbitmq.QueueOptions;
import io.vertx.rabbitmq.RabbitMQClient;
import io.vertx.rabbitmq.RabbitMQOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class Client {
  public static void main(String[] args) {
    try {
      var vertx = Vertx.vertx();
      var options = new RabbitMQOptions().setHost("127.0.0.1").setPort(Integer.parseInt(args[0])).setAutomaticRecoveryEnabled(true);
      boolean same = consume(vertx, options, "orders", client -> client.confirmSelect()
          .compose(done -> client.basicPublish("missing", "order", Buffer.buffer("17")))
          .compose(done -> vertx.timer(1000)).compose(done -> client.waitForConfirms(2000)), "confirmed");
      same &= consume(vertx, options, "bills", client -> client.messageCount("missing"), "failed");
      System.exit(same ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  interface Call {
    Future<?> on(RabbitMQClient client);
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  /** Consumes from the queue with a client that makes the call then, and returns whether all is as described. */
  static boolean consume(Vertx vertx, RabbitMQOptions options, String queue, Call call, String described) throws Exception {
    var client = RabbitMQClient.create(vertx, options);
    get(client.start());
    var other = RabbitMQClient.create(vertx, options);
    get(other.start());
    get(other.queueDeclare(queue, true, false, false));
    var messages = new AtomicInteger();
    var signals = new AtomicInteger();
    var consumer = get(client.basicConsumer(queue, new QueueOptions().setAutoAck(false)));
    consumer.exceptionHandler(e -> signals.incrementAndGet()).endHandler(end -> signals.incrementAndGet()).handler(message -> {
      messages.incrementAndGet();
      client.basicAck(message.envelope().getDeliveryTag(), false);
    });
    get(other.basicPublish("", queue, Buffer.buffer("17")));
    Thread.sleep(1000);
    int before = messages.get();

    var result = get(call.on(client).transform(done -> Future.succeededFuture(done.succeeded() ? "confirmed" : "failed")));
    for (int i = 0; i < 3; i++) {
      get(client.basicPublish("", queue, Buffer.buffer("17")));
    }
    Thread.sleep(5000);
    int after = messages.get() - before;
    long left = get(other.messageCount(queue));
    System.out.println(queue + ": the consumer got " + before + " of 1; the call " + result + "; it got " + after + " of 3 more, "
        + left + " are left, exceptions and ends " + signals.get() + ", connected: " + client.isConnected());
    return before == 1 && result.equals(described) && after == 0 && left == 3 && signals.get() == 0 && client.isConnected();
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/Client.java" "$amqp_port"
