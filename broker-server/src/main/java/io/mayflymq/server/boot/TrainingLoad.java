package io.mayflymq.server.boot;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A load of some seconds that uses what most users use: messages that are published, confirmed,
 * consumed and acknowledged, transient and persistent ones, and others that expire into a
 * dead-letter queue.
 */
final class TrainingLoad {
  private static final int BATCH = 100;
  private static final int BODY_BYTES = 1000;

  /** The first octet of the property flags: there is a delivery mode. */
  private static final byte DELIVERY_MODE = 1 << 4;

  /** Two octets of flags and the delivery mode. */
  private static final int PROPERTIES_BYTES = 3;

  /** Of each kind of load: enough to have all that runs often compiled. */
  private static final int BATCHES = 1000;

  private static final int EXPIRING_BATCHES = 100;
  private static final int REPLICATED_BATCHES = 100;
  private static final String REPLICATED = "replicated";

  private TrainingLoad() {}

  /**
   * Runs it to its end, on the calling thread.
   *
   * @param address of a broker with the default user, whose queues it may fill
   * @throws IOException if the broker does not do its part
   */
  public static void run(InetSocketAddress address) throws IOException {
    FieldTable expiring =
        FieldTable.EMPTY
            .with("x-message-ttl", new FieldValue.Int32(1))
            .with("x-dead-letter-exchange", FieldValue.of(""))
            .with("x-dead-letter-routing-key", FieldValue.of("dead"));
    rounds(address, new Load("transient", "transient", FieldTable.EMPTY, false, BATCHES));
    rounds(address, new Load("persistent", "persistent", FieldTable.EMPTY, true, BATCHES));
    rounds(address, new Load("expiring", "dead", expiring, true, EXPIRING_BATCHES));
  }

  /**
   * Publishes to a quorum queue and consumes from it, as long as a broker of a cluster runs.
   *
   * @param address of a broker with the default user
   * @throws IOException if the broker does not do its part
   */
  public static void runReplicated(InetSocketAddress address) throws IOException {
    FieldTable quorum = FieldTable.EMPTY.with("x-queue-type", FieldValue.of("quorum"));
    rounds(address, new Load(REPLICATED, REPLICATED, quorum, true, REPLICATED_BATCHES));
  }

  /**
   * Publishes a batch to that queue, and leaves it there.
   *
   * @throws IOException if the broker does not do its part
   */
  public static void leaveReplicated(InetSocketAddress address) throws IOException {
    try (TrainingClient client = TrainingClient.connect(address)) {
      publish(client, REPLICATED, content(true));
      client.awaitAll(BATCH, 0);
    }
  }

  /**
   * Consumes the batch that was left.
   *
   * @throws IOException if the broker does not do its part
   */
  public static void takeReplicated(InetSocketAddress address) throws IOException {
    try (TrainingClient client = TrainingClient.connect(address)) {
      client.consume(REPLICATED, true);
      client.awaitAll(0, BATCH);
    }
  }

  /**
   * One kind of load.
   *
   * @param to the queue that messages are published to
   * @param from the queue that they are consumed from, maybe another one
   * @param arguments of the former
   */
  private record Load(
      String to, String from, FieldTable arguments, boolean persistent, int batches) {}

  private static void rounds(InetSocketAddress address, Load load) throws IOException {
    byte[] content = content(load.persistent());
    try (TrainingClient client = TrainingClient.connect(address)) {
      client.declare(load.to(), load.arguments());
      client.declare(
          load.from(), load.to().equals(load.from()) ? load.arguments() : FieldTable.EMPTY);
      client.consume(load.from(), !load.persistent());
      for (long batch = 1; batch <= load.batches(); batch++) {
        publish(client, load.to(), content);
        client.awaitAll(batch * BATCH, batch * BATCH);
        if (load.persistent()) {
          client.acknowledge();
        }
      }
    }
  }

  private static byte[] content(boolean persistent) {
    byte[] content = new byte[PROPERTIES_BYTES + BODY_BYTES];
    content[0] = DELIVERY_MODE;
    content[PROPERTIES_BYTES - 1] = (byte) (persistent ? 2 : 1);
    return content;
  }

  private static void publish(TrainingClient client, String queue, byte[] content) {
    for (int i = 0; i < BATCH; i++) {
      client.publish(queue, content, PROPERTIES_BYTES);
    }
  }
}
