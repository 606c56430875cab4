package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.AwaitedLog;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.EffectiveValue;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MessageProperties;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies on a virtual host whose shards run when the test says so. */
class VhostPoliciesTest {
  private static final FieldTable NO_ARGUMENTS = FieldTable.EMPTY;

  private final ManualLoops loops = ManualLoops.of(2);
  private final VirtualHost vhost = vhost(new InMemoryMetadataLog());

  @Test
  void policyAppliesToExistingAndNewQueues() {
    declare("q1", NO_ARGUMENTS);
    declare("x1", NO_ARGUMENTS);

    CompletableFuture<Void> done = set("^q", Map.of("message-ttl", 1000, "max-length", 5));
    assertThat(done).isNotDone();
    loops.settle();

    assertThat(done).isCompleted();
    declare("q2", NO_ARGUMENTS);
    assertThat(settings("q1"))
        .isEqualTo(settings("q2"))
        .isEqualTo(
            QueueValues.NONE
                .with(PolicyKey.MESSAGE_TTL, 1000)
                .with(PolicyKey.MAX_LENGTH, 5)
                .settings());
    assertThat(settings("x1")).isEqualTo(QueueSettings.DEFAULT);

    assertThat(settled(vhost.policies().clear(PolicyKind.POLICY, "p"))).isTrue();
    assertThat(settings("q1")).isEqualTo(settings("q2")).isEqualTo(QueueSettings.DEFAULT);
    assertThat(settled(vhost.policies().clear(PolicyKind.POLICY, "p"))).isFalse();
  }

  @Test
  void queuesFollowTheDialectOfTheirVirtualHost() {
    FieldTable quorum = FieldTable.builder().put("x-queue-type", "quorum").build();
    declare("q", quorum);
    assertThat(settings("q").deliveries().limit()).isEqualTo(20);
    assertThat(settings("q").deliveries().countsEachReturn()).isFalse();
    assertThat(settings("q").deliveries().timeoutAction()).isEqualTo(TimeoutAction.CANCEL);
    assertThat(settings("q").deliveries().activeByPriority()).isTrue();
    assertThat(settings("q").deliveries().retriesCount()).isTrue();
    assertThat(settings("q").lease().uses()).isEqualTo(LeaseUse.OF_QUORUM_QUEUES);

    vhost.redefine(VhostDefinition.of("v").withDialect(Optional.of(Dialect.V3_13)));
    loops.settle();
    declare("later", quorum);
    assertThat(settings("q")).isEqualTo(settings("later"));
    assertThat(settings("q").deliveries().limit()).isEqualTo(QueueSettings.NONE);
    assertThat(settings("q").deliveries().countsEachReturn()).isTrue();
    assertThat(settings("q").deliveries().timeoutAction()).isEqualTo(TimeoutAction.CLOSE_CHANNEL);
    assertThat(settings("q").deliveries().activeByPriority()).isFalse();
    assertThat(settings("q").deliveries().retriesCount()).isFalse();
    assertThat(settings("q").lease().uses()).isEqualTo(LeaseUse.DEFAULT);

    settled(set("^q", Map.of("delivery-limit", 3)));
    vhost.redefine(VhostDefinition.of("v"));
    loops.settle();
    assertThat(settings("q").deliveries().limit()).isEqualTo(3);
    assertThat(settings("later").deliveries().limit()).isEqualTo(20);
  }

  /** RabbitMQ 4.3.6 was seen to do the same. */
  @Test
  void passiveDeclarationRenewsNoLeaseOfAQuorumQueueUnlessThatWasChosen() {
    FieldTable leased = FieldTable.builder().put("x-expires", 100).build();
    FieldTable ofQuorum = leased.with("x-queue-type", FieldValue.of("quorum"));
    declare("classic", leased);
    declare("quorum", ofQuorum);
    declare("chosen", ofQuorum.with("x-expires-activity", FieldValue.of("declare")));
    declare("again", ofQuorum);
    loops.advance(60);
    for (String queue : List.of("classic", "quorum", "chosen")) {
      settled(vhost.declareOk(queue, "connection", true));
    }
    declare("again", ofQuorum);
    loops.advance(60);
    assertThat(vhost.routing().queue("quorum")).isNull();
    for (String queue : List.of("classic", "chosen", "again")) {
      assertThat(vhost.routing().queue(queue)).as(queue).isNotNull();
    }
  }

  @Test
  void argumentsPolicyAndOperatorPolicyAreMerged() {
    declare("q", FieldTable.builder().put("x-max-length", new FieldValue.Int32(7)).build());
    settled(set("", Map.of("max-length", 9, "message-ttl", 1000)));
    settled(vhost.policies().set(operators("", Map.of("message-ttl", 500))));

    assertThat(settings("q").length().maxLength()).isEqualTo(7);
    assertThat(settings("q").expiry().messageTtlMillis()).isEqualTo(500);
    assertThat(vhost.policies().explainQueue("q").values())
        .extracting(EffectiveValue::value)
        .containsExactly(7L, 500L);
    assertThatThrownBy(() -> vhost.policies().explainQueue("gone"))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining("no queue 'gone' in vhost 'v'");
  }

  @Test
  void lastOfTwoPolicyChangesApplies() {
    declare("q", NO_ARGUMENTS);
    CompletableFuture<Void> first = set("", Map.of("max-length", 1));
    CompletableFuture<Void> second = set("", Map.of("max-length", 2));
    loops.settle();

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(settings("q").length().maxLength()).isEqualTo(2);
  }

  @Test
  void rejectPublishLimitOfAPolicyDropsNoReadyMessages() {
    declare("q", NO_ARGUMENTS);
    publish("q", 5);
    settled(set("", Map.of("max-length", 2, "overflow", "reject-publish")));
    publish("q", 1);

    assertThat(ready("q")).isEqualTo(5);
  }

  @Test
  void messagesDroppedByAPolicyGoToItsDeadLetterExchange() {
    declare("dead", NO_ARGUMENTS);
    declare("q", NO_ARGUMENTS);
    publish("q", 5);
    settled(
        set(
            "^q$",
            Map.of(
                "max-length", 2, "dead-letter-exchange", "", "dead-letter-routing-key", "dead")));

    assertThat(ready("q")).isEqualTo(2);
    assertThat(ready("dead")).isEqualTo(3);
    loops.advance(10);
    settled(
        set(
            "^q$",
            Map.of(
                "message-ttl", 5, "dead-letter-exchange", "", "dead-letter-routing-key", "dead")));
    assertThat(ready("q")).isZero();
    assertThat(ready("dead")).isEqualTo(5);
  }

  @Test
  void unusedQueueIsDeletedByALeaseOfAPolicy() {
    declare("q", NO_ARGUMENTS);
    loops.advance(60);
    settled(set("", Map.of("expires", 100)));
    loops.advance(40);
    assertThat(vhost.routing().queue("q")).isNotNull();
    loops.advance(1);
    assertThat(vhost.routing().queue("q")).isNull();
  }

  @Test
  void alternateExchangeOfAPolicyReceivesUnroutableMessages() {
    declare("lost", NO_ARGUMENTS);
    declareExchange("unrouted", ExchangeType.FANOUT, NO_ARGUMENTS);
    declareExchange("orders", ExchangeType.DIRECT, NO_ARGUMENTS);
    Binding binding = new Binding("unrouted", DestinationKind.QUEUE, "lost", "", FieldTable.EMPTY);
    settled(vhost.bind(binding, null));
    settled(set("^orders|^late", Map.of("alternate-exchange", "unrouted")));
    declareExchange("late", ExchangeType.DIRECT, NO_ARGUMENTS);
    declareExchange(
        "late-with-its-own",
        ExchangeType.DIRECT,
        FieldTable.builder().put("alternate-exchange", "").build());

    assertThat(routed("orders", "k")).containsExactly("lost");
    assertThat(routed("late", "k")).containsExactly("lost");
    assertThat(routed("late-with-its-own", "k")).isEmpty();
    assertThat(routed("amq.direct", "k")).isEmpty();
    assertThat(vhost.policies().explainExchange("orders").policyDefinition())
        .isEqualTo(Map.of("alternate-exchange", "unrouted"));

    settled(vhost.policies().clear(PolicyKind.POLICY, "p"));
    assertThat(routed("orders", "k")).isEmpty();
  }

  @Test
  void dryRunOfAPolicyReportsItsEffectOnQueues() {
    declare("q", FieldTable.builder().put("x-dead-letter-exchange", "amq.fanout").build());
    declare("untouched", FieldTable.builder().put("x-max-length", new FieldValue.Int32(2)).build());
    publish("q", 3);
    loops.advance(100);
    publish("q", 4);
    declareExchange("x", ExchangeType.DIRECT, NO_ARGUMENTS);
    Policy policy = policy("p", "", Map.of("message-ttl", 50, "max-length", 2, "expires", 101));
    Policy elsewhere = policy("other", "^untouched", Map.of("max-length", 9));

    PolicyDryRun run = settled(vhost.policies().dryRunSet(policy));

    assertThat(run.exchanges()).isEmpty();
    assertThat(run.queues())
        .extracting(PolicyDryRun.QueueChange::name)
        .containsExactly("q", "untouched");
    PolicyDryRun.QueueChange change = run.queues().get(0);
    assertThat(change.before()).isEqualTo(settings("q"));
    assertThat(change.policyImpact()).isEqualTo(new PolicyImpact(3, 2, change.nowMillis() + 2));
    assertThat(change.startsToExpire()).isTrue();
    assertThat(change.expiresNow()).isFalse();
    assertThat(run.toMap())
        .containsEntry("expiring", 3L)
        .containsEntry("overflowing", 2L)
        .containsEntry("dead_lettered", 5L)
        .containsEntry("dropped", 0L)
        .containsEntry("starting_to_expire", 2L)
        .containsEntry("expiring_queues", 0L);
    assertThat(settled(vhost.policies().dryRunSet(elsewhere)).queues()).isEmpty();
    assertThat(ready("q")).as("nothing was changed").isEqualTo(7);
    assertThat(vhost.policies().table().isEmpty()).isTrue();

    settled(vhost.policies().set(policy));
    assertThat(ready("q")).isEqualTo(2);
    assertThat(settled(vhost.policies().dryRunClear(PolicyKind.POLICY, "p")).queues())
        .extracting(cleared -> cleared.after().length().maxLength())
        .containsExactly(-1L, 2L);
  }

  @Test
  void dryRunOfAPolicyReportsExchangesAndQueuesDeletedImmediately() {
    declareExchange("x", ExchangeType.DIRECT, NO_ARGUMENTS);
    declare("idle", NO_ARGUMENTS);
    loops.advance(1000);

    PolicyDryRun run =
        settled(
            vhost
                .policies()
                .dryRunSet(
                    policy("p", "^(x|idle)$", Map.of("alternate-exchange", "a", "expires", 1))));

    assertThat(run.exchanges()).containsExactly(new PolicyDryRun.ExchangeChange("x", null, "a"));
    assertThat(run.queues()).singleElement().matches(PolicyDryRun.QueueChange::expiresNow);
    assertThat(run.toMap().get("queues").toString())
        .isEqualTo(
            "[{name=idle, before={}, after={expires=1}, expiring=0, overflowing=0,"
                + " dead_lettered=0, dropped=0, starts_to_expire=true, expires_now=true,"
                + " expires_in=0}]");
    assertThat(vhost.routing().queue("idle")).isNotNull();
  }

  @Test
  void policiesApplyAgainAfterARestart(@TempDir Path directory) {
    try (MetadataLog log =
        new AwaitedLog(
            MetadataJournal.open(
                directory,
                MetadataJournal.Expected.NOTHING,
                new BrokerThreads(Faults.logged()),
                why -> {}))) {
      VirtualHost before = vhost(log);
      CompletableFuture<DeclaredQueue> declared =
          before.declareQueue(declaration("q", NO_ARGUMENTS));
      CompletableFuture<Void> exchange =
          before.declareExchange(
              new ExchangeDefinition(
                  "x", ExchangeType.DIRECT, true, false, false, FieldTable.EMPTY),
              null);
      CompletableFuture<Void> set =
          before
              .policies()
              .set(policy("p", "", Map.of("max-length", 3, "alternate-exchange", "a")));
      loops.settle();
      CompletableFuture.allOf(declared, exchange, set).join();
    }
    try (MetadataLog log =
        new AwaitedLog(
            MetadataJournal.open(
                directory,
                MetadataJournal.Expected.NOTHING,
                new BrokerThreads(Faults.logged()),
                why -> {}))) {
      VirtualHost after = vhost(log);
      log.recover().forEach(after::replay);

      assertThat(after.policies().table().policy(PolicyKind.POLICY, "p")).isNotNull();
      assertThat(after.routing().queue("q").settings().length().maxLength()).isEqualTo(3);
      assertThat(after.routing().alternateExchange("x")).isEqualTo("a");
      assertThat(after.routing().alternateExchange("amq.direct")).isEqualTo("a");
    }
  }

  private VirtualHost vhost(MetadataLog log) {
    Partitions partitions =
        new Partitions(
            new Shards(loops.all(), loops.clock(), Faults.logged()),
            (partition, shard) -> new InMemoryStore());
    return new Broker(partitions, log, loops.clock(), "/")
        .createVirtualHost(VhostDefinition.of("v"));
  }

  private CompletableFuture<Void> set(String pattern, Map<String, Object> definition) {
    return vhost.policies().set(policy("p", pattern, definition));
  }

  private static Policy policy(String name, String pattern, Map<String, Object> definition) {
    return Policy.of(PolicyKind.POLICY, name, pattern, "all", 0, definition);
  }

  private static Policy operators(String pattern, Map<String, Object> definition) {
    return Policy.of(PolicyKind.OPERATOR_POLICY, "o", pattern, "queues", 0, definition);
  }

  private void declare(String name, FieldTable arguments) {
    settled(vhost.declareQueue(declaration(name, arguments)));
  }

  private static QueueDeclaration declaration(String name, FieldTable arguments) {
    return new QueueDeclaration(
        name, true, false, false, arguments, "connection", null, false, true);
  }

  private void declareExchange(String name, ExchangeType type, FieldTable arguments) {
    settled(
        vhost.declareExchange(
            new ExchangeDefinition(name, type, false, false, false, arguments), null));
  }

  private List<String> routed(String exchange, String key) {
    Route<Queue> route = vhost.routing().route(exchange, List.of(key), MessageProperties.NONE);
    return IntStream.range(0, route.size()).mapToObj(i -> route.get(i).name()).toList();
  }

  private void publish(String queue, int count) {
    inBurst(
        queue,
        target -> {
          for (int i = 0; i < count; i++) {
            target
                .onShard()
                .publish(
                    new Message(
                        ShortString.of(""),
                        ShortString.of(queue),
                        new byte[12],
                        2,
                        Message.NO_TTL,
                        0,
                        false,
                        List.of()));
          }
        });
  }

  private QueueSettings settings(String queue) {
    return vhost.routing().queue(queue).settings();
  }

  private long ready(String queue) {
    return settled(vhost.declareOk(queue, null, false)).messages();
  }

  private void inBurst(String queue, Consumer<Queue> work) {
    Queue target = vhost.routing().queue(queue);
    Shard shard = target.shard();
    loops.get(shard.index()).call(() -> shard.run(() -> work.accept(target)));
    loops.settle();
  }

  private <T> T settled(CompletableFuture<T> future) {
    loops.settle();
    assertThat(future).isCompleted();
    return future.join();
  }
}
