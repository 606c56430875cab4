package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerRates;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a queue counts, and how it looks, after each thing that can happen to a message. */
class QueueSnapshotTest {
  private static final FieldTable TO_DEAD =
      FieldTable.builder()
          .put("x-dead-letter-exchange", FieldValue.of(""))
          .put("x-dead-letter-routing-key", FieldValue.of("dead"))
          .build();

  private final ManualLoops loops = ManualLoops.of(1);
  private final Broker broker =
      new Broker(
          new Partitions(
              new Shards(loops.all(), loops.clock(), Faults.logged()),
              (partition, shard) -> new InMemoryStore()),
          new InMemoryMetadataLog(),
          loops.clock(),
          "/");
  private final VirtualHost vhost = broker.createVirtualHost(VhostDefinition.of("/"));
  private final Shard shard = broker.shards().get(0);

  private Queue declare(String name, FieldTable arguments) {
    CompletableFuture<DeclaredQueue> declared =
        vhost.declareQueue(
            new QueueDeclaration(name, false, false, false, arguments, this, shard, false, true));
    loops.settle();
    declared.join();
    return vhost.routing().queue(name);
  }

  private boolean publish(Queue queue, String body, long ttlMillis) {
    byte[] content = new byte[2 + body.length()];
    boolean[] taken = new boolean[1];
    shard.execute(
        () ->
            taken[0] =
                queue
                    .onShard()
                    .publish(
                        new Message(
                            ShortString.EMPTY,
                            ShortString.of(queue.name()),
                            content,
                            2,
                            ttlMillis,
                            0,
                            true,
                            List.of())));
    loops.settle();
    return taken[0];
  }

  private GetResult fetch(Queue queue, boolean acknowledges) {
    CompletableFuture<GetResult> getResult = queue.requests().fetch(acknowledges);
    loops.settle();
    return getResult.join();
  }

  private QueueSnapshot view(Queue queue) {
    QueueSnapshot[] view = new QueueSnapshot[1];
    shard.execute(() -> view[0] = QueueSnapshot.of(queue));
    loops.settle();
    return view[0];
  }

  private static Consumer noConsumer() {
    return Consumer.ofGet();
  }

  @Test
  void snapshotCountsPublishedAndDeliveredMessages() {
    Queue queue = declare("q", FieldTable.EMPTY);
    publish(queue, "one", Message.NO_TTL);
    publish(queue, "three", Message.NO_TTL);
    publish(queue, "x", Message.NO_TTL);
    GetResult first = fetch(queue, true);
    fetch(queue, false);
    QueueSnapshot view = view(queue);
    assertThat(view.totals().ready()).isEqualTo(1);
    assertThat(view.totals().unacked()).isEqualTo(1);
    assertThat(view.totals().messages()).isEqualTo(2);
    assertThat(view.totals().readyBytes()).isEqualTo(1);
    assertThat(view.totals().unackedBytes()).isEqualTo(3);
    shard.execute(
        () -> queue.onShard().acknowledge(noConsumer(), first.sequence(), first.sequence()));
    loops.settle();
    assertThat(queue.counters().get(Counter.PUBLISHED)).isEqualTo(3);
    assertThat(queue.counters().get(Counter.PUBLISHED_BYTES)).isEqualTo(9);
    assertThat(queue.counters().get(Counter.GOT)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.GOT_NO_ACK)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.DELIVERED_BYTES)).isEqualTo(8);
    assertThat(queue.counters().get(Counter.ACKED)).isEqualTo(1);
  }

  @Test
  void snapshotCountsRequeuesPurgesAndEmptyGets() {
    Queue queue = declare("q", FieldTable.EMPTY);
    publish(queue, "a", Message.NO_TTL);
    GetResult got = fetch(queue, true);
    shard.execute(() -> queue.onShard().requeue(noConsumer(), got.sequence(), got.sequence()));
    loops.settle();
    GetResult again = fetch(queue, true);
    assertThat(again.redelivered()).isTrue();
    shard.execute(() -> queue.onShard().requeue(noConsumer(), again.sequence(), again.sequence()));
    queue.requests().purge();
    loops.settle();
    fetch(queue, true);
    assertThat(queue.counters().get(Counter.REQUEUED)).isEqualTo(2);
    assertThat(queue.counters().get(Counter.REDELIVERED)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.PURGED)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.GOT_EMPTY)).isEqualTo(1);
  }

  @Test
  void snapshotCountsDeathsByReason() {
    declare("dead", FieldTable.EMPTY);
    Queue queue = declare("q", TO_DEAD.with("x-max-length", new FieldValue.Int32(1)));
    publish(queue, "expires", 10);
    loops.advance(100);
    publish(queue, "dropped", Message.NO_TTL);
    publish(queue, "rejected", Message.NO_TTL);
    GetResult got = fetch(queue, true);
    shard.execute(
        () ->
            queue
                .onShard()
                .reject(noConsumer(), got.sequence(), got.sequence(), DropTrigger.CONSUMER));
    loops.settle();
    assertThat(queue.counters().get(Counter.EXPIRED)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.MAXLEN)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.REJECTED)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.DEAD_LETTERED)).isEqualTo(3);
    assertThat(view(vhost.routing().queue("dead")).totals().ready()).isEqualTo(3);
  }

  @Test
  void snapshotCountsRefusedMessages() {
    Queue queue =
        declare(
            "q",
            FieldTable.builder()
                .put("x-max-length", new FieldValue.Int32(0))
                .put("x-overflow", FieldValue.of("reject-publish"))
                .build());
    assertThat(publish(queue, "no", Message.NO_TTL)).isFalse();
    assertThat(queue.counters().get(Counter.REFUSED)).isEqualTo(1);
    assertThat(queue.counters().get(Counter.PUBLISHED)).isZero();
  }

  @Test
  void snapshotShowsTheActiveConsumer() {
    Queue queue =
        declare(
            "q",
            FieldTable.builder().put("x-single-active-consumer", FieldValue.Bool.TRUE).build());
    Consumer first = consumer("first");
    Consumer second = consumer("second");
    queue.requests().subscribe(first, () -> {});
    queue.requests().subscribe(second, () -> {});
    loops.settle();
    publish(queue, "m", Message.NO_TTL);
    assertThat(view(queue).consumers())
        .containsExactly(
            new QueueContents.Member(first, true, 1, ConsumerRates.NONE),
            new QueueContents.Member(second, false, 0, ConsumerRates.NONE));
    loops.advance(5_000);
    assertThat(view(queue).consumers())
        .extracting(QueueContents.Member::rates)
        .containsExactly(new ConsumerRates.Shown(0.2, 0), ConsumerRates.NONE);
    assertThat(queue.counters().get(Counter.DELIVERED)).isEqualTo(1);
  }

  private static Consumer consumer(String tag) {
    ConsumerTarget outlet =
        new ConsumerTarget() {
          @Override
          public boolean reserve(Consumer consumer) {
            return true;
          }

          @Override
          public void deliver(
              Consumer consumer, long sequence, Message message, boolean redelivered) {}

          @Override
          public void cancelled(Consumer consumer) {}
        };
    return new Consumer(ShortString.of(tag), ConsumeOptions.DEFAULT, outlet);
  }

  @Test
  void countsOfADeletedQueueStayInTheVhostTotals() {
    Queue queue = declare("q", FieldTable.EMPTY);
    publish(queue, "a", Message.NO_TTL);
    vhost.deleteQueue("q", this, false, false);
    loops.settle();
    assertThat(view(queue)).isNull();
    assertThat(vhost.metrics().queues().get(Counter.PUBLISHED)).isEqualTo(1);
    assertThat(broker.churn().get(Churn.Event.QUEUE_CREATED)).isEqualTo(1);
    assertThat(broker.churn().get(Churn.Event.QUEUE_DELETED)).isEqualTo(1);
  }
}
