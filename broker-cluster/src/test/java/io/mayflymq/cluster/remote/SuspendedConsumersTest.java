package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.DeliveryCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a link to a replicated partition knows a consumer. The leader is this test. */
class SuspendedConsumersTest {
  private static final ConsumerTarget CHANNEL =
      new ConsumerTarget() {
        @Override
        public boolean reserve(Consumer asking) {
          return true;
        }

        @Override
        public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {}

        @Override
        public void cancelled(Consumer gone) {}
      };

  private final RecordedFaults faults = new RecordedFaults();
  private final ManualLoops loops = ManualLoops.of(1);
  private final Shards shards = new Shards(loops.all(), loops.clock(), faults);
  private final Partitions partitions =
      new Partitions(shards, (partition, shard) -> new InMemoryStore());
  private final Broker broker = new Broker(partitions, new MemoryMetadataLog(), loops.clock(), "/");
  private final Map<RequestKind, Long> asked = new EnumMap<>(RequestKind.class);
  private final Consumer consumer =
      new Consumer(ShortString.of("tag"), ConsumeOptions.DEFAULT, CHANNEL);
  private final PartitionLink link =
      new PartitionLink(
          UUID.randomUUID(),
          0,
          0,
          partitions,
          (node, partition, shard, listening) -> {
            listener = listening;
            return () -> {};
          });
  private final Queue queue =
      RemoteQueue.create(
          new QueueIdentity(
              1,
              new QueueDefinition("q", true, false, false, FieldTable.EMPTY, QueueSettings.DEFAULT),
              null,
              QueuePlace.replicated(0)),
          broker.createVirtualHost(VhostDefinition.of("/")),
          link);
  private LinkListener listener;
  private LinkPort port;

  /** What is sent to the leader. */
  private final class Port implements LinkPort {
    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public void send(int type, ByteWriter body) {
      if (type == LinkFrame.REQUEST) {
        ByteReader in = new ByteReader(body.bytes(), body.size());
        long number = in.number();
        asked.put(RequestKind.of(in.octet()), number);
      }
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      throw new AssertionError(why);
    }
  }

  @AfterEach
  void nothingWasContained() {
    faults.assertNone();
  }

  private void on(Runnable work) {
    loops.get(0).call(() -> shards.get(0).run(work));
    loops.settle();
  }

  private void up() {
    port = new Port();
    on(() -> listener.up(port));
  }

  private void frame(int type, ByteWriter body) {
    on(() -> listener.frame(type, new ByteReader(body.bytes(), body.size())));
  }

  private void answer(RequestKind kind) {
    frame(LinkFrame.ANSWER, new ByteWriter().number(asked.remove(kind)));
  }

  /** The consumer joins and gets a message, which it does not settle. */
  private void consume() {
    on(() -> link.leader("b@host"));
    up();
    on(() -> queue.requests().subscribe(consumer, () -> {}));
    answer(RequestKind.SUBSCRIBE);
    ByteWriter delivery = new ByteWriter();
    DeliveryCodec codec = new DeliveryCodec(LinkVersion.HIGHEST);
    codec.begin();
    codec.write(
        delivery,
        link.consumers().of(consumer).number(),
        1,
        NumberedMessage.of(1, true, Message.NO_TTL, 0),
        false,
        Deadlines.NEVER);
    frame(LinkFrame.DELIVER, delivery);
  }

  private void cancel() {
    on(() -> queue.requests().cancel(consumer));
  }

  @Test
  void cancelledConsumerIsKnownUntilItsMessagesAreSettledOrTheConnectionIsLost() {
    consume();
    cancel();
    answer(RequestKind.CANCEL);
    assertThat(link.consumers().of(consumer)).isNotNull();
    on(() -> listener.lost("cut"));
    assertThat(link.consumers().of(consumer)).isNull();
    up();
    assertThat(asked).doesNotContainKey(RequestKind.SUBSCRIBE);
  }

  @Test
  void messagesOfAnEarlierConnectionDoNotKeepACancelledConsumer() {
    consume();
    on(() -> listener.lost("cut"));
    assertThat(link.consumers().of(consumer)).isNotNull();
    up();
    answer(RequestKind.SUBSCRIBE);
    cancel();
    assertThat(link.consumers().of(consumer)).isNotNull();
    answer(RequestKind.CANCEL);
    assertThat(link.consumers().of(consumer)).isNull();
  }
}
