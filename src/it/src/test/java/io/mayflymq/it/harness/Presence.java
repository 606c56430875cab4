package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks whether a queue exists without renewing its lease: a mandatory publish is returned if
 * there is no queue. Unlike declaring or getting, publishing does not renew a lease.
 *
 * <p>The publishes are confirmed, one every two milliseconds or so, so the end of a queue is seen
 * within a few milliseconds. One instance serves one test.
 */
public final class Presence {
  private static final long PATIENCE_NANOS = Patience.MILLIS * 1_000_000L;

  private final Channel channel;
  private final AtomicLong returned = new AtomicLong();

  public Presence(Amqp amqp) throws IOException, TimeoutException {
    channel = amqp.newConnection().createChannel();
    channel.confirmSelect();
    channel.addReturnListener(message -> returned.set(System.nanoTime()));
  }

  /** Waits until the queue is gone and returns the {@link System#nanoTime} of the first return. */
  public long awaitGone(String queue) throws Exception {
    return awaitGone("", queue);
  }

  /** The same for whatever an exchange routes this key to. */
  public long awaitGone(String exchange, String key) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (routed(exchange, key)) {
      assertThat(System.nanoTime()).as("%s%s is gone", exchange, key).isLessThan(end);
      Time.pass(2);
    }
    return returned.get();
  }

  /** Checks repeatedly, for this time, that the queue exists. */
  public void assertStays(String queue, long millis) throws Exception {
    long end = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < end) {
      assertThat(routed("", queue)).as("%s is there", queue).isTrue();
      Time.pass(10);
    }
  }

  private boolean routed(String exchange, String key) throws Exception {
    returned.set(0);
    channel.basicPublish(exchange, key, true, Amqp.PLAIN, new byte[0]);
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    return returned.get() == 0;
  }
}
