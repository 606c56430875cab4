package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a node of a primary has for its standby, without the messages.
 *
 * @param cluster the identity of the broker, which never changes
 * @param node the name of the node
 * @param process another one after each start of the node: numbers of messages that were lost with
 *     the process before may be used again
 * @param nowMillis its time, in ms since the epoch
 * @param queues those on this node that have messages
 * @param elsewhere those on other nodes
 */
record PrimaryState(
    String cluster,
    String node,
    String process,
    long nowMillis,
    List<QueueState> queues,
    List<Elsewhere> elsewhere) {
  private static final int VERSION = 1;

  /**
   * A queue with messages.
   *
   * @param id never given to another queue
   * @param next the number of the next message that arrives
   * @param count how many messages there are; with {@code next} it says which
   * @param bytes the sizes of their bodies
   */
  record QueueState(QueueKey key, long id, long next, long count, long bytes) {}

  /** A queue of another node. */
  record Elsewhere(String vhost, String queue, String node) {}

  byte[] write() {
    ByteWriter out = new ByteWriter();
    out.octet(VERSION).text(cluster).text(node).text(process).signed(nowMillis);
    out.number(queues.size());
    for (QueueState queue : queues) {
      queue.key().write(out);
      out.number(queue.id()).number(queue.next()).number(queue.count()).number(queue.bytes());
    }
    out.number(elsewhere.size());
    for (Elsewhere queue : elsewhere) {
      out.text(queue.vhost()).text(queue.queue()).text(queue.node());
    }
    return Arrays.copyOf(out.bytes(), out.size());
  }

  /**
   * Reads it.
   *
   * @throws ByteFormatException if it cannot be read
   */
  static PrimaryState read(byte[] bytes) {
    ByteReader in = new ByteReader(bytes, bytes.length);
    int version = in.octet();
    if (version != VERSION) {
      throw new ByteFormatException(
          "the primary tells its state in version %d: expected %d".formatted(version, VERSION));
    }
    String cluster = in.text();
    String node = in.text();
    String process = in.text();
    long now = in.signed();
    List<QueueState> queues = new ArrayList<>();
    for (int left = in.count(7); left > 0; left--) {
      queues.add(
          new QueueState(QueueKey.read(in), in.number(), in.number(), in.number(), in.number()));
    }
    List<Elsewhere> elsewhere = new ArrayList<>();
    for (int left = in.count(3); left > 0; left--) {
      elsewhere.add(new Elsewhere(in.text(), in.text(), in.text()));
    }
    return new PrimaryState(cluster, node, process, now, queues, elsewhere);
  }
}
