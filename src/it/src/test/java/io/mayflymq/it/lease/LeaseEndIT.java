package io.mayflymq.it.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The end of a queue's lease, as the management API shows it. */
@BlackBox
@MayflyOnly("a field of its own")
class LeaseEndIT {
  private static final long PERIOD = 3_600_000;

  private static JsonNode end(Target target, String queue) throws Exception {
    return target.http().get("queues/%2F/" + queue).json().path("lease_ends_at");
  }

  @Test
  void theEndFollowsTheLastUse(Amqp amqp, Target target) throws Exception {
    long before = System.currentTimeMillis();
    String queue = amqp.queue(Map.of("x-expires", PERIOD));
    long first = end(target, queue).asLong();
    assertThat(first).isBetween(before + PERIOD, System.currentTimeMillis() + PERIOD + 1);
    long used = System.currentTimeMillis();
    amqp.channel().basicGet(queue, true);
    assertThat(end(target, queue).asLong()).isGreaterThanOrEqualTo(Math.max(first, used + PERIOD));
  }

  @Test
  void thereIsNoEndWhileTheQueueHasAConsumer(Amqp amqp, Target target) throws Exception {
    String queue = amqp.queue(Map.of("x-expires", PERIOD));
    String tag = amqp.channel().basicConsume(queue, true, (any, message) -> {}, any -> {});
    assertThat(end(target, queue).isMissingNode()).isTrue();
    amqp.channel().basicCancel(tag);
    assertThat(end(target, queue).asLong()).isPositive();
  }

  @Test
  void thereIsNoEndWithoutALease(Amqp amqp, Target target) throws Exception {
    assertThat(end(target, amqp.queue()).isMissingNode()).isTrue();
  }
}
