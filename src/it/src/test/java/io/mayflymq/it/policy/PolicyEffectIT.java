package io.mayflymq.it.policy;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Presence;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the effect of policies on the queues that they match, and on no others. */
@BlackBox
class PolicyEffectIT extends PolicyFixture {
  private void set(String pattern, String definition) throws Exception {
    http.put("policies/%2F/" + name, policy(pattern + "$", definition));
  }

  private void setForOperators(String pattern, String definition) throws Exception {
    http.put("operator-policies/%2F/" + name, policy(pattern + "$", definition));
  }

  private static String either(String one, String other) {
    return "(%s|%s)".formatted(one, other);
  }

  @Test
  void aPolicyTtlAppliesToAGroupOfQueues(Amqp amqp) throws Exception {
    List<String> queues = List.of(amqp.queue(), amqp.queue(), amqp.queue());
    set(either(queues.get(0), queues.get(1)), "{\"message-ttl\":100}");
    for (String queue : queues) {
      amqp.publish(queue, "m");
    }
    amqp.awaitReady(queues.get(0), 0);
    amqp.awaitReady(queues.get(1), 0);
    assertThat(amqp.get(queues.get(2))).as("not one of them").isEqualTo("m");
  }

  @Test
  @MayflyOnly("RabbitMQ leaves the deadlines of what is there as they are")
  void aPolicyTtlAppliesToMessagesAlreadyInTheQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publishExpiring(queue, 600_000, "head");
    amqp.publish(queue, "behind it");
    set(queue, "{\"message-ttl\":100}");
    amqp.awaitReady(queue, 0);
  }

  @Test
  void anOperatorPolicyLowersTheTtlOfArgumentsAndMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 600_000));
    setForOperators(queue, "{\"message-ttl\":100}");
    amqp.publish(queue, "m");
    amqp.publishExpiring(queue, 60_000, "own");
    amqp.awaitReady(queue, 0);
  }

  @Test
  void theLowerLimitOfPolicyAndArgumentApplies(Amqp amqp) throws Exception {
    String two = amqp.queue(Map.of("x-max-length", 2));
    String four = amqp.queue(Map.of("x-max-length", 4));
    set(either(two, four), "{\"max-length\":3}");
    for (int i = 0; i < 5; i++) {
      amqp.publish(two, "m" + i);
      amqp.publish(four, "m" + i);
    }
    assertThat(amqp.drain(two)).containsExactly("m3", "m4");
    assertThat(amqp.drain(four)).containsExactly("m2", "m3", "m4");
  }

  @Test
  void aPolicyLimitInBytesDropsTheOldest(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    set(queue, "{\"max-length-bytes\":10}");
    for (String body : List.of("aaaa", "bbbb", "cccc")) {
      amqp.publish(queue, body);
    }
    assertThat(amqp.drain(queue)).containsExactly("bbbb", "cccc");
  }

  @Test
  void aPolicyLimitCanRefuseMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    set(queue, "{\"max-length\":2,\"overflow\":\"reject-publish\"}");
    Channel channel = amqp.confirming();
    for (int i = 0; i < 4; i++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + i));
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isEqualTo(i < 2);
    }
    assertThat(amqp.drain(queue)).containsExactly("m0", "m1");
  }

  @Test
  void aPolicyLeaseDeletesAnUnusedQueue(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    String queue = amqp.queue();
    set(queue, "{\"expires\":300}");
    presence.awaitGone(queue);
  }
}
