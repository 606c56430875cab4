#!/usr/bin/env bash
# What does not fit into the buffer of a paused Vert.x consumer is neither handled nor given back, also when the consumer is cancelled.
#
# With:      vertx-rabbitmq-client 5.2.3 with amqp-client 5.35.0, which it brings, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  with setMaxInternalQueueSize of 3 and without autoAck, a consumer that is paused has at most three messages; others are
#            rejected and put back, or wait at the broker, and come when it resumes, or go to another consumer.
# Happens:   the client takes all messages, which is all of the queue, as no prefetch is set by default, keeps three, and forgets the others
#            without a reject. The broker waits for an acknowledgement that does not come: they are with no consumer, before and after the
#            resume, and stay so when the consumer is cancelled, until its client stops.
# Who meets it: who limits the buffer so that a consumer that is slower than its queue takes no more than it can.
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
  static final int MESSAGES = 10;
  static final int BUFFER = 3;

  public static void main(String[] args) {
    try {
      System.exit(run(Integer.parseInt(args[0])) ? 0 : 1);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  static boolean run(int port) throws Exception {
    var vertx = Vertx.vertx();
    var options = new RabbitMQOptions().setHost("127.0.0.1").setPort(port);
    var other = RabbitMQClient.create(vertx, options);
    get(other.start());
    get(other.queueDeclare("orders", true, false, false));
    var client = RabbitMQClient.create(vertx, options);
    get(client.start());
    var consumer = get(client.basicConsumer("orders", new QueueOptions().setAutoAck(false).setMaxInternalQueueSize(BUFFER)));
    var handled = new AtomicInteger();
    consumer.pause();
    consumer.handler(message -> {
      handled.incrementAndGet();
      client.basicAck(message.envelope().getDeliveryTag(), false);
    });
    for (int i = 0; i < MESSAGES; i++) {
      get(other.basicPublish("", "orders", Buffer.buffer("17")));
    }
    Thread.sleep(2000);
    consumer.resume();
    Thread.sleep(3000);
    int resumed = handled.get();
    long left = get(other.messageCount("orders"));
    get(consumer.cancel());
    Thread.sleep(2000);
    long cancelled = get(other.messageCount("orders"));
    get(client.stop());
    Thread.sleep(2000);
    long stopped = get(other.messageCount("orders"));
    System.out.println("of " + MESSAGES + " orders " + resumed + " handled since the resume, " + left + " in the queue, "
        + cancelled + " when the consumer is cancelled, " + stopped + " when its client has stopped");
    return resumed == BUFFER && left == 0 && cancelled == 0 && stopped == MESSAGES - BUFFER;
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/Client.java" "$amqp_port"
