package io.mayflymq.it.differential;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A channel with its consumers and what it has not settled. */
final class Client {
  final Channel channel;
  private final int number;

  // Guarded by this object
  private final Map<String, String> queues = new HashMap<>();
  private final TreeMap<String, List<String>> received = new TreeMap<>();
  private final List<String> returned = new ArrayList<>();
  private final List<Unsettled> unsettled = new ArrayList<>();

  private record Unsettled(long tag, String queue, int number) {}

  Client(Channel channel, int number) throws IOException {
    this.channel = channel;
    this.number = number;
    if (number == Generator.TRANSACTIONAL) {
      channel.txSelect();
    } else {
      channel.confirmSelect();
    }
    channel.addReturnListener(
        back -> {
          synchronized (this) {
            returned.add(back.getReplyCode() + " " + Delivered.number(back.getBody()));
          }
        });
  }

  synchronized boolean consumes(String queue) {
    return queues.containsValue(queue);
  }

  void consume(Step.Consume step) throws IOException {
    synchronized (this) {
      // Deliveries may come before the answer does.
      received.computeIfAbsent(step.tag(), tag -> new ArrayList<>());
    }
    String queue = step.queue();
    boolean autoAck = step.autoAck();
    channel.basicConsume(
        queue,
        autoAck,
        step.tag(),
        false,
        step.exclusive(),
        Map.of(),
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            note(tag, queue, autoAck, envelope, properties, body);
          }

          @Override
          public void handleCancel(String tag) {
            synchronized (Client.this) {
              received.computeIfAbsent(tag, absent -> new ArrayList<>()).add("cancelled");
              queues.remove(tag);
            }
          }
        });
    synchronized (this) {
      queues.put(step.tag(), queue);
    }
  }

  private synchronized void note(
      String tag,
      String queue,
      boolean autoAck,
      Envelope envelope,
      BasicProperties properties,
      byte[] body) {
    received
        .computeIfAbsent(tag, absent -> new ArrayList<>())
        .add(Delivered.describe(envelope, properties, body));
    if (!autoAck) {
      unsettled.add(new Unsettled(envelope.getDeliveryTag(), queue, Delivered.number(body)));
    }
  }

  void cancel(String tag) throws IOException {
    synchronized (this) {
      if (!queues.containsKey(tag)) {
        return;
      }
      queues.remove(tag);
    }
    channel.basicCancel(tag);
  }

  String get(String queue, boolean autoAck) throws IOException {
    GetResponse got = channel.basicGet(queue, autoAck);
    if (got == null) {
      return "empty";
    }
    if (!autoAck) {
      synchronized (this) {
        unsettled.add(
            new Unsettled(
                got.getEnvelope().getDeliveryTag(), queue, Delivered.number(got.getBody())));
      }
    }
    return "got %s, %d more"
        .formatted(
            Delivered.describe(got.getEnvelope(), got.getProps(), got.getBody()),
            got.getMessageCount());
  }

  /** Settles one, or, where their order is certain, all up to it. */
  String settle(Step.Settle step) throws IOException {
    Unsettled which;
    boolean multiple;
    synchronized (this) {
      if (unsettled.isEmpty()) {
        return "nothing to settle";
      }
      // Deliveries of several queues come in any order; a step must mean the same everywhere.
      List<Unsettled> sorted =
          unsettled.stream()
              .sorted(Comparator.comparing(Unsettled::number).thenComparing(Unsettled::queue))
              .toList();
      which = sorted.get(step.which() % sorted.size());
      multiple =
          step.multiple() && unsettled.stream().map(Unsettled::queue).distinct().count() == 1;
      unsettled.removeIf(one -> one.tag == which.tag || (multiple && one.tag <= which.tag));
    }
    switch (step.verdict()) {
      case ACK -> channel.basicAck(which.tag, multiple);
      case NACK_REQUEUE -> channel.basicNack(which.tag, multiple, true);
      case NACK -> channel.basicNack(which.tag, multiple, false);
      case REJECT_REQUEUE -> channel.basicReject(which.tag, true);
      case REJECT -> channel.basicReject(which.tag, false);
    }
    return step.verdict() + " " + which.number + " of " + which.queue;
  }

  void recover() throws IOException {
    synchronized (this) {
      unsettled.clear();
    }
    channel.basicRecover(true);
  }

  /** What has come by itself. Waits for what was sent to the channel before. */
  List<String> state() throws IOException {
    // Answered after all that is on its way; no prefetch is changed by it.
    channel.exchangeDeclarePassive("amq.direct");
    synchronized (this) {
      List<String> state = new ArrayList<>();
      received.forEach((tag, messages) -> state.add(number + "/" + tag + ": " + messages));
      state.add(number + " returned: " + returned);
      return state;
    }
  }
}
