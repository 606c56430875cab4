package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that use one queue from all nodes while something is done to it, and what they expect:
 * nothing that was confirmed is lost, nothing is delivered twice without a mark, and their channels
 * and consumers stay. The test's thread calls.
 */
public final class QueueUsers {
  /** Opens channels, each on a connection of its own. */
  @FunctionalInterface
  public interface Channels {
    Channel open(int node) throws IOException, TimeoutException;
  }

  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final List<User> users = new ArrayList<>();

  private QueueUsers() {}

  /** Has clients of so many nodes publish and consume. */
  public static QueueUsers begin(Channels channels, int nodes, String queue)
      throws IOException, TimeoutException {
    QueueUsers all = new QueueUsers();
    for (int node = 0; node < nodes; node++) {
      all.users.add(
          all.new User(channels.open(node), channels.open(node), queue, "node" + node + "-"));
    }
    for (User user : all.users) {
      user.begin();
    }
    return all;
  }

  /** Waits until each of them has been delivered more. */
  public void awaitMore() {
    int[] before = users.stream().mapToInt(user -> user.deliveries.get()).toArray();
    for (int i = 0; i < before.length; i++) {
      int then = before[i];
      User user = users.get(i);
      await().atMost(Patience.TIME).until(() -> user.deliveries.get() > then + 50);
    }
  }

  /** Ends publishing, and checks what has become of all that was published. */
  public void end() throws InterruptedException {
    for (User user : users) {
      user.endPublishing();
    }
    await().atMost(Patience.TIME).until(() -> seen.containsAll(confirmed));
    assertThat(wrong).isEmpty();
    assertThat(users).noneMatch(user -> user.cancelled.get());
    assertThat(users).allMatch(user -> user.publishing.isOpen() && user.consuming.isOpen());
  }

  /** A publisher and a consumer of one node. */
  private final class User {
    private final Channel publishing;
    private final Channel consuming;
    private final String queue;
    private final String prefix;
    private final ConcurrentNavigableMap<Long, String> unconfirmed = new ConcurrentSkipListMap<>();
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final AtomicInteger deliveries = new AtomicInteger();
    private volatile boolean goesOn = true;
    private Thread publisher;

    User(Channel publishing, Channel consuming, String queue, String prefix) {
      this.publishing = publishing;
      this.consuming = consuming;
      this.queue = queue;
      this.prefix = prefix;
    }

    void begin() throws IOException {
      publishing.confirmSelect();
      publishing.addConfirmListener(
          (tag, multiple) -> settle(tag, multiple, true),
          (tag, multiple) -> settle(tag, multiple, false));
      consuming.basicQos(20);
      consuming.basicConsume(queue, false, "tag", new Taker());
      publisher = new Thread(this::publish, prefix + "publisher");
      publisher.start();
    }

    private void settle(long tag, boolean multiple, boolean isConfirmed) {
      Map<Long, String> settled =
          multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, true, tag, true);
      if (isConfirmed) {
        confirmed.addAll(settled.values());
      }
      settled.clear();
    }

    private void publish() {
      try {
        for (int number = 0; goesOn; number++) {
          String text = prefix + number;
          unconfirmed.put(publishing.getNextPublishSeqNo(), text);
          publishing.basicPublish(
              "", queue, MessageProperties.PERSISTENT_BASIC, text.getBytes(StandardCharsets.UTF_8));
          if (unconfirmed.size() > 100) {
            Thread.sleep(2);
          }
        }
      } catch (IOException | InterruptedException e) {
        wrong.add(prefix + " cannot publish: " + e);
      }
    }

    /** Ends publishing, when all that was published is settled. */
    void endPublishing() throws InterruptedException {
      goesOn = false;
      publisher.join();
      await().atMost(Patience.TIME).until(unconfirmed::isEmpty);
    }

    private final class Taker extends DefaultConsumer {
      Taker() {
        super(consuming);
      }

      @Override
      public void handleDelivery(
          String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
          throws IOException {
        String text = new String(body, StandardCharsets.UTF_8);
        if (!seen.add(text) && !envelope.isRedeliver()) {
          wrong.add(text + " is delivered twice, and is not flagged so");
        }
        deliveries.incrementAndGet();
        consuming.basicAck(envelope.getDeliveryTag(), false);
      }

      @Override
      public void handleCancel(String tag) {
        cancelled.set(true);
      }
    }
  }
}
