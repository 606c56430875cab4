package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told and counted of the dead. */
class DeathJournalTest {
  private static final int SIZE = 3;

  private final ManualLoops loops = ManualLoops.of(1);
  private final Partitions partitions =
      new Partitions(
          new Shards(loops.all(), loops.clock(), Faults.logged()),
          1,
          (partition, shard) -> new InMemoryStore(),
          new MemoryDeathJournal(SIZE));
  private final Broker broker =
      new Broker(partitions, new InMemoryMetadataLog(), loops.clock(), "/");
  private final VirtualHost vhost = broker.createVirtualHost(VhostDefinition.of("/"));
  private final Shard shard = partitions.get(0).shard();

  private Queue declare(String name, FieldTable arguments) {
    vhost.declareQueue(
        new QueueDeclaration(name, false, false, false, arguments, this, shard, false, true));
    loops.settle();
    return vhost.routing().queue(name);
  }

  private static FieldTable toExchange(String exchange, String key) {
    return FieldTable.builder()
        .put("x-dead-letter-exchange", exchange)
        .put("x-dead-letter-routing-key", key)
        .build();
  }

  /** Publishes a message whose id is also its body. */
  private void publish(Queue queue, String id, long ttlMillis) {
    byte[] properties = BasicProperties.builder().messageId(id).headers(headers()).build().encode();
    byte[] content = Arrays.copyOf(properties, properties.length + id.length());
    Message message =
        new Message(
            ShortString.of("amq.topic"),
            ShortString.of("the.key"),
            content,
            properties.length,
            ttlMillis,
            0,
            true,
            List.of());
    shard.execute(() -> queue.onShard().publish(message));
    loops.settle();
  }

  private static FieldTable headers() {
    return FieldTable.builder().put("some", "header").build();
  }

  private List<DeathRecord> deaths() {
    var deaths = partitions.deaths();
    loops.settle();
    return deaths.join().latest(death -> true, Long.MAX_VALUE).stream()
        .map(DeathJournal.Entry::death)
        .toList();
  }

  @Test
  void deathJournalShowsReasonAndTargetsOfADeath() {
    declare("dead", FieldTable.EMPTY);
    Queue queue = declare("q", toExchange("", "dead"));
    long published = loops.clock().millis();
    publish(queue, "one", 10);
    loops.advance(100);
    DeathRecord death = deaths().get(0);
    assertThat(death.timeMillis() - death.deadlineMillis()).isEqualTo(death.latenessMillis());
    assertThat(death)
        .isEqualTo(
            new DeathRecord(
                death.timeMillis(),
                "/",
                "q",
                new DeathRecord.Identity("one", "amq.topic", "the.key"),
                DropTrigger.EXPIRATION,
                published + 11,
                DropOutcome.DEAD_LETTERED,
                "",
                List.of("dead"),
                List.of("dead")));
    assertThat(death.reason()).isEqualTo(DeathReason.EXPIRED);
    assertThat(queue.counters().get(Counter.DEAD_LETTERED)).isEqualTo(1);
  }

  @Test
  void deathJournalShowsWhyAMessageWasDropped() {
    Queue without = declare("without", FieldTable.EMPTY);
    publish(without, "a", 0);
    Queue missing = declare("missing", toExchange("no.such", "k"));
    publish(missing, "b", 0);
    vhost.declareExchange(ExchangeDefinition.durable("empty", ExchangeType.FANOUT), this);
    Queue unroutable = declare("unroutable", toExchange("empty", "k"));
    publish(unroutable, "c", 0);
    assertThat(deaths())
        .extracting(DeathRecord::fate, death -> death.message().messageId())
        .containsExactly(
            tuple(DropOutcome.UNROUTABLE, "c"),
            tuple(DropOutcome.EXCHANGE_MISSING, "b"),
            tuple(DropOutcome.NO_EXCHANGE, "a"));
    assertThat(without.counters().get(Counter.DROPPED_NO_EXCHANGE)).isEqualTo(1);
    assertThat(missing.counters().get(Counter.DROPPED_EXCHANGE_MISSING)).isEqualTo(1);
    assertThat(unroutable.counters().get(Counter.DROPPED_UNROUTABLE)).isEqualTo(1);
    assertThat(vhost.metrics().queues().get(Counter.EXPIRED)).isEqualTo(3);
  }

  @Test
  void deathJournalShowsCycles() {
    Queue queue = declare("q", toExchange("", "q").with("x-message-ttl", new FieldValue.Int32(10)));
    publish(queue, "round", Message.NO_TTL);
    loops.advance(100);
    assertThat(deaths()).extracting(DeathRecord::fate).containsExactly(DropOutcome.CYCLE);
    assertThat(deaths().get(0).cause()).isEqualTo(DropTrigger.MESSAGE_TTL);
    assertThat(queue.counters().get(Counter.DROPPED_CYCLE)).isEqualTo(1);
  }

  @Test
  void deathJournalKeepsTheLastDeaths() {
    Queue queue = declare("q", FieldTable.EMPTY);
    for (int i = 0; i < 10; i++) {
      publish(queue, "m" + i, 0);
    }
    assertThat(deaths())
        .extracting(death -> death.message().messageId())
        .containsExactly("m9", "m8", "m7");
    assertThat(deaths().get(0).deadlineMillis()).isNotEqualTo(Deadlines.NEVER);
  }

  @Test
  void deathJournalLimitsTheNamesOfTargets() {
    Queue queue = declare("q", toExchange("amq.fanout", "k"));
    for (int i = 0; i < 20; i++) {
      declare("t" + i, FieldTable.EMPTY);
      vhost.bind(Binding.toQueue("amq.fanout", "t" + i, ""), this);
    }
    publish(queue, "many", 0);
    assertThat(deaths().get(0).targets()).hasSize(DeathRecord.MOST_NAMES);
  }
}
