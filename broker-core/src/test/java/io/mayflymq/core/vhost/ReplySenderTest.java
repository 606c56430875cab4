package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replies from a channel on shard 0, on loops that move when they are told to. */
class ReplySenderTest {
  private final TestBroker broker = TestBroker.of(2);
  private final ReplySender commands =
      new ReplySender(broker.shards.get(0), broker.vhost.replies());

  private static final class Requester implements ReplyConsumer {
    private final Shard home;
    private final List<Integer> replies = new ArrayList<>();

    private Requester(Shard home) {
      this.home = home;
    }

    @Override
    public Shard home() {
      return home;
    }

    @Override
    public void reply(Message message) {
      replies.add(TestBroker.numberOf(message));
    }
  }

  @Test
  void repliesOnTheSameShardAreDeliveredAtTheEndOfTheBurst() {
    Requester requester = new Requester(broker.shards.get(0));
    String name = broker.vhost.replies().add(requester);
    broker.on(
        0,
        () -> {
          commands.send(name, TestBroker.message(1));
          commands.send(name, TestBroker.message(2));
          assertThat(requester.replies).isEmpty();
        });
    assertThat(requester.replies).containsExactly(1, 2);
  }

  @Test
  void repliesToAnotherShardAreSentInOneTask() {
    Requester one = new Requester(broker.shards.get(1));
    Requester two = new Requester(broker.shards.get(1));
    String first = broker.vhost.replies().add(one);
    String second = broker.vhost.replies().add(two);
    broker.on(
        0,
        () -> {
          commands.send(first, TestBroker.message(1));
          commands.send(second, TestBroker.message(2));
          commands.send(first, TestBroker.message(3));
        });
    assertThat(one.replies).as("the other loop has not run").isEmpty();
    broker.trimMemory();
    assertThat(one.replies).containsExactly(1, 3);
    assertThat(two.replies).containsExactly(2);
  }

  @Test
  void replyThatIsTooLateIsDropped() {
    Requester here = new Requester(broker.shards.get(0));
    Requester there = new Requester(broker.shards.get(1));
    long now = broker.clock().millis();
    broker.on(
        0,
        () -> {
          for (Requester requester : List.of(here, there)) {
            String name = broker.vhost.replies().add(requester);
            commands.send(name, TestBroker.message(1), now);
            commands.send(name, TestBroker.message(2), now + 10);
            commands.send(name, TestBroker.message(3), now + 11);
          }
        });
    assertThat(here.replies).containsExactly(2, 3);
    broker.clock().advance(10);
    broker.trimMemory();
    assertThat(there.replies).as("its loop has run later").containsExactly(3);
  }

  @Test
  void replyToAnUnknownRequesterIsDropped() {
    Requester requester = new Requester(broker.shards.get(0));
    String name = broker.vhost.replies().add(requester);
    broker.vhost.replies().remove(name);
    broker.on(0, () -> commands.send(name, TestBroker.message(1)));
    broker.trimMemory();
    assertThat(requester.replies).isEmpty();
  }
}
