package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/** Makes and deletes queues, exchanges, bindings and policies, each with a name of its own. */
final class LoadDeclarer extends LoadClient {
  static final String EXCHANGE = "topics";
  private static final int KEPT = 6;
  private static final int PAUSE_MILLIS = 40;

  private final ObjectLedger ledger;
  private final Random random;
  private final String prefix;
  private final Deque<String> queues = new ArrayDeque<>();
  private final Deque<String> exchanges = new ArrayDeque<>();
  private final Deque<String> policies = new ArrayDeque<>();
  private int count;

  /**
   * Creates one.
   *
   * @param prefix for the names of its objects, which no other one has
   */
  LoadDeclarer(FaultBench bench, int node, String prefix, ObjectLedger ledger, Random random) {
    super("declarer", bench, node);
    this.prefix = prefix;
    this.ledger = ledger;
    this.random = random;
  }

  @Override
  void work(Connection connection) throws IOException, InterruptedException {
    Channel channel = connection.createChannel();
    while (!stopping()) {
      switch (random.nextInt(4)) {
        case 0 -> changeQueues(channel);
        case 1 -> changeExchanges(channel);
        case 2 -> changePolicies();
        default -> channel.queueDeclare();
      }
      Time.pass(PAUSE_MILLIS);
    }
  }

  private String newName() {
    return prefix + "-" + count++;
  }

  private void changeQueues(Channel channel) throws IOException {
    String queue = newName();
    queues.add(queue);
    ledger.changing(ObjectLedger.queue(queue));
    channel.queueDeclare(queue, true, false, false, null);
    ledger.made(ObjectLedger.queue(queue));
    ledger.changing(ObjectLedger.binding(queue));
    channel.queueBind(queue, EXCHANGE, "key." + count);
    ledger.made(ObjectLedger.binding(queue));
    if (queues.size() > KEPT) {
      String old = queues.remove();
      ledger.changing(ObjectLedger.queue(old));
      ledger.changing(ObjectLedger.binding(old));
      channel.queueDelete(old);
      ledger.deleted(ObjectLedger.queue(old));
      ledger.deleted(ObjectLedger.binding(old));
    }
  }

  private void changeExchanges(Channel channel) throws IOException {
    String exchange = newName();
    exchanges.add(exchange);
    ledger.changing(ObjectLedger.exchange(exchange));
    channel.exchangeDeclare(exchange, "fanout", true);
    ledger.made(ObjectLedger.exchange(exchange));
    if (exchanges.size() > KEPT) {
      String old = exchanges.remove();
      ledger.changing(ObjectLedger.exchange(old));
      channel.exchangeDelete(old);
      ledger.deleted(ObjectLedger.exchange(old));
    }
  }

  private void changePolicies() throws IOException, InterruptedException {
    String policy = newName();
    policies.add(policy);
    ledger.changing(ObjectLedger.policy(policy));
    String body =
        "{\"pattern\":\"^%s-\",\"definition\":{\"max-length\":%d},\"apply-to\":\"queues\"}"
            .formatted(prefix, 1000 + count);
    if (process().http().put("policies/%2F/" + policy, body).status() == 201) {
      ledger.made(ObjectLedger.policy(policy));
    }
    if (policies.size() > KEPT) {
      String old = policies.remove();
      ledger.changing(ObjectLedger.policy(old));
      if (process().http().delete("policies/%2F/" + old).status() == 204) {
        ledger.deleted(ObjectLedger.policy(old));
      }
    }
  }
}
