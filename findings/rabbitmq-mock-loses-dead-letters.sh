#!/usr/bin/env bash
# In rabbitmq-mock a message that expires by its own expiration is dead-lettered and expires again, until it is gone.
#
# With:      rabbitmq-mock 1.2.0, amqp-client 5.25.0
# Expected:  a message that is published with an expiration, and dead-lettered when its time is over, waits in the dead letter
#            queue until it is consumed. RabbitMQ removes the expiration from it, so that it does not expire there.
# Happens:   it arrives there with its expiration, and after the same time once more it expires in the dead letter queue, which has
#            no dead letter exchange: it is gone, and nothing tells of it. A message that expires by the queue's x-message-ttl
#            stays. Whether a test sees the dead letter depends on when it looks.
# Who meets it: who tests delays or retries by expiration and dead-lettering with the mock instead of a broker: with short
#            times the test finds an empty queue although the application is right, with long ones it passes.
. "$(dirname "$0")/lib.bash"

java_packages com.github.fridujo:rabbitmq-mock:1.2.0 com.rabbitmq:amqp-client:5.25.0 org.slf4j:slf4j-nop:1.7.36

cat >"$work/Mock.java" <<'JAVA'
import com.github.fridujo.rabbitmq.mock.MockConnectionFactory;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import java.util.HashMap;
import java.util.Map;

public class Mock {
  public static void main(String[] args) throws Exception {
    Channel channel = new MockConnectionFactory().newConnection().createChannel();
    boolean same = !stays(channel, "by-message", null, "500");
    same &= stays(channel, "by-queue", 500, null);
    System.exit(same ? 0 : 1);
  }

  /** Whether a dead letter is still there some time after it has arrived. */
  static boolean stays(Channel channel, String name, Integer ttl, String expiration) throws Exception {
    String dead = name + "-dead";
    channel.queueDeclare(dead, true, false, false, null);
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-dead-letter-exchange", "");
    arguments.put("x-dead-letter-routing-key", dead);
    if (ttl != null) {
      arguments.put("x-message-ttl", ttl);
    }
    channel.queueDeclare(name, true, false, false, arguments);
    channel.basicPublish("", name, new BasicProperties.Builder().expiration(expiration).build(), "m".getBytes());
    long published = System.nanoTime();
    // What arrives is looked at and put back at once.
    GetResponse first = null;
    while (first == null && System.nanoTime() - published < 10_000_000_000L) {
      first = channel.basicGet(dead, false);
      Thread.sleep(5);
    }
    if (first == null) {
      System.out.println(name + ": no dead letter");
      return false;
    }
    System.out.println(name + ": the dead letter has the expiration " + first.getProps().getExpiration()
        + " and the header x-death " + first.getProps().getHeaders().containsKey("x-death"));
    channel.basicNack(first.getEnvelope().getDeliveryTag(), false, true);
    Thread.sleep(2_000);
    boolean there = channel.basicGet(dead, true) != null;
    System.out.println(name + ": it is there two seconds later: " + there);
    return there;
  }
}
JAVA

if java -cp "$work/lib/*" "$work/Mock.java"; then verdict true; else verdict false; fi
