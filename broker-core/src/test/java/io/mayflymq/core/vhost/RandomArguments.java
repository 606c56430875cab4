package io.mayflymq.core.vhost;

import io.mayflymq.protocol.types.FieldTable;
import java.util.Random;

/** Arguments of queues to which random things happen. */
final class RandomArguments {
  private RandomArguments() {}

  /**
   * Makes some.
   *
   * @param target the queue that dead letters go to, if they go anywhere
   */
  static FieldTable of(Random random, String target) {
    FieldTable.Builder arguments = FieldTable.builder();
    if (random.nextInt(3) > 0) {
      arguments.put("x-dead-letter-exchange", random.nextInt(5) == 0 ? "amq.fanout" : "");
      arguments.put("x-dead-letter-routing-key", target);
    }
    if (random.nextInt(3) == 0) {
      arguments.put("x-message-ttl", random.nextInt(4) == 0 ? 0 : random.nextInt(40));
    }
    if (random.nextInt(4) == 0) {
      arguments.put("x-max-length", random.nextInt(4));
      // What a full queue refuses and dead-letters was never safe: no client was told that it is.
      arguments.put("x-overflow", random.nextBoolean() ? "drop-head" : "reject-publish");
    }
    if (random.nextInt(12) == 0) {
      arguments.put("x-expires", 1 + random.nextInt(100));
    }
    if (random.nextInt(4) == 0) {
      arguments.put("x-dead-letter-on", "rejected,expired,maxlen,queue_expired,queue_deleted");
    }
    if (random.nextInt(4) == 0) {
      arguments.put("x-delayed-retry-type", "all");
      arguments.put("x-delayed-retry-min", 1 + random.nextInt(60));
    }
    if (random.nextInt(3) == 0) {
      arguments.put("x-recoverable", 1 + random.nextInt(random.nextBoolean() ? 60 : 5000));
      arguments.put("x-recoverable-acked", random.nextBoolean());
      arguments.put("x-recoverable-bytes", random.nextInt(4) == 0 ? 500 : 1_000_000);
    }
    return arguments.build();
  }
}
