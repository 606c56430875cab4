package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataJournalTest {
  private static final BrokerThreads THREADS = new BrokerThreads(Faults.logged());

  private static final FieldTable ARGUMENTS =
      FieldTable.builder()
          .put("x-message-ttl", new FieldValue.Int16((short) 5))
          .put("note", "höchst\u0000 wichtig")
          .build();

  private static final MetadataCommand EXCHANGE =
      new MetadataCommand.ExchangeDeclared(
          "v", new ExchangeDefinition("x", ExchangeType.HEADERS, true, true, true, ARGUMENTS));

  private static final MetadataCommand QUEUE =
      new MetadataCommand.QueueDeclared(
          "v",
          new QueueDefinition(
              "q",
              true,
              false,
              true,
              ARGUMENTS,
              QueueArguments.parse(ARGUMENTS, "q", "v").settings(),
              "ü:1"),
          1L << 40,
          QueuePlace.alone(7));

  private static final Binding BINDING =
      new Binding("x", DestinationKind.QUEUE, "q", "key", ARGUMENTS);

  @TempDir Path directory;

  @Test
  void aQueueOfAnOlderReleaseHasBeenDeclaredByAnUnknownUser() {
    MetadataCommand.QueueDeclared older =
        new MetadataCommand.QueueDeclared(
            "v",
            new QueueDefinition("q", true, false, true, ARGUMENTS, QueueSettings.DEFAULT),
            7,
            QueuePlace.alone(0));
    int bytes = MetadataEntry.encode(older).remaining();
    assertThat(bytes + Integer.BYTES + "ü:1".getBytes(StandardCharsets.UTF_8).length)
        .isEqualTo(MetadataEntry.encode((MetadataCommand.QueueDeclared) QUEUE).remaining());
    assertThat(MetadataEntry.decodeQueue(MetadataEntry.encode(older)).queue().declaredBy())
        .isNull();
  }

  @Test
  void writtenDefinitionsAreRecovered() {
    write(EXCHANGE, QUEUE, new MetadataCommand.Bound("v", BINDING));

    assertThat(recovered())
        .containsExactly(EXCHANGE, QUEUE, new MetadataCommand.Bound("v", BINDING));
  }

  @Test
  void deletedDefinitionsAreNotRecovered() {
    write(
        EXCHANGE,
        QUEUE,
        new MetadataCommand.Bound("v", BINDING),
        new MetadataCommand.Unbound("v", BINDING),
        new MetadataCommand.QueueDeleted("v", "q"),
        new MetadataCommand.ExchangeDeleted("v", "x"));

    assertThat(recovered()).isEmpty();
  }

  @Test
  void policiesAreRecoveredBeforeTheQueuesTheyApplyTo() {
    MetadataCommand policy =
        policy(PolicyKind.POLICY, "p", Map.of("expires", 5, "queue-mode", "lazy"));
    MetadataCommand operators = policy(PolicyKind.OPERATOR_POLICY, "p", Map.of("max-length", 1));
    MetadataCommand mirroring =
        policy(
            PolicyKind.POLICY,
            "ha",
            Map.of(
                "ha-mode",
                "nodes",
                "ha-params",
                List.of("a", "b"),
                "message-ttl-retroactive",
                false));
    MetadataCommand replaced = policy(PolicyKind.POLICY, "ha", Map.of("expires", 1));
    write(EXCHANGE, QUEUE, replaced, policy, operators, mirroring);

    assertThat(recovered().subList(0, 3)).containsExactlyInAnyOrder(policy, operators, mirroring);
    assertThat(recovered()).endsWith(EXCHANGE, QUEUE);
  }

  @Test
  void clearingAPolicyKeepsTheOperatorPolicyOfTheSameName() {
    MetadataCommand operators = policy(PolicyKind.OPERATOR_POLICY, "p", Map.of("max-length", 1));
    write(
        policy(PolicyKind.POLICY, "p", Map.of("max-length", 1)),
        operators,
        new MetadataCommand.PolicyCleared("v", PolicyKind.POLICY, "p"));

    assertThat(recovered()).containsExactly(operators);
  }

  @Test
  void parametersAreRecoveredUntilTheyOrTheirVhostAreGone() {
    MetadataCommand kept = new MetadataCommand.ParameterSet("v", "shovel", "s", "{\"a\":1}");
    write(
        new MetadataCommand.ParameterSet("v", "shovel", "s", "1"),
        new MetadataCommand.ParameterSet("v", "shovel", "t", "1"),
        new MetadataCommand.ParameterSet("w", "shovel", "s", "1"),
        new MetadataCommand.ParameterCleared("v", "shovel", "t"),
        new MetadataCommand.VhostDeleted("w"),
        kept);

    assertThat(recovered()).containsExactly(kept);
  }

  private static MetadataCommand policy(
      PolicyKind kind, String name, Map<String, Object> definition) {
    return new MetadataCommand.PolicySet(
        "v", Policy.of(kind, name, "^ü", "queues", -3, definition));
  }

  @Test
  void bindingsThatDifferOnlyInArgumentsAreDistinct() {
    Binding other = new Binding("x", DestinationKind.QUEUE, "q", "key", FieldTable.EMPTY);
    write(
        EXCHANGE,
        QUEUE,
        new MetadataCommand.Bound("v", BINDING),
        new MetadataCommand.Bound("v", other),
        new MetadataCommand.Unbound("v", BINDING));

    assertThat(recovered()).containsExactly(EXCHANGE, QUEUE, new MetadataCommand.Bound("v", other));
  }

  @Test
  void permissionsOfUsersWithSimilarNamesAreDistinct() {
    MetadataCommand other =
        new MetadataCommand.TopicPermissionsSet("1:a", "v", "x", new TopicPermissions("a", "b"));
    write(
        new MetadataCommand.UserDeclared(user("a")),
        new MetadataCommand.UserDeclared(user("1:a")),
        new MetadataCommand.TopicPermissionsSet("a", "v", "x", new TopicPermissions("", "")),
        other,
        new MetadataCommand.UserDeleted("a"));

    assertThat(recovered()).containsExactly(new MetadataCommand.UserDeclared(user("1:a")), other);
  }

  @Test
  void deletingAVhostDeletesItsDefinitions() {
    write(
        new MetadataCommand.VhostDeclared(VhostDefinition.of("v")),
        new MetadataCommand.VhostDeclared(VhostDefinition.of("w")),
        EXCHANGE,
        QUEUE,
        new MetadataCommand.Bound("v", BINDING),
        new MetadataCommand.VhostDeleted("v"));

    assertThat(recovered())
        .containsExactly(new MetadataCommand.VhostDeclared(VhostDefinition.of("w")));
  }

  private static User user(String name) {
    return new User(name, new PasswordHash(HashingAlgorithm.SHA256, "AAAA"), List.of());
  }

  @Test
  void closedJournalRefusesChangesWithAReason() {
    MetadataJournal log = open();
    log.close();

    CompletableFuture<Void> refused = log.append(List.of(QUEUE));

    assertThatThrownBy(refused::join)
        .cause()
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("the change could not be made durable: the broker is stopping");
  }

  @Test
  void longTextsAreRecovered() {
    String longText = "ä".repeat(35_000);
    MetadataCommand policy =
        policy(PolicyKind.POLICY, "ha", Map.of("ha-mode", "nodes", "ha-params", List.of(longText)));
    MetadataCommand user =
        new MetadataCommand.UserDeclared(
            new User(
                "u", new PasswordHash(HashingAlgorithm.SHA256, "A".repeat(70_000)), List.of()));
    write(policy, user);

    assertThat(recovered()).containsExactly(user, policy);
  }

  @Test
  void tooLargeChangeIsRefusedWithoutAffectingOthers() {
    MetadataCommand huge =
        new MetadataCommand.GlobalParameterSet("p", "\"" + "x".repeat(1 << 20) + "\"");
    try (MetadataJournal log = open()) {
      assertThatThrownBy(() -> log.append(List.of(QUEUE, huge)))
          .isInstanceOf(ChannelException.class)
          .hasMessageContaining("is too large: expected at most 1048576");
      log.append(List.of(EXCHANGE)).join();
    }
    assertThat(recovered()).containsExactly(EXCHANGE);
  }

  @Test
  void filesThatAreNoJournalAreRefusedWithAReason() throws Exception {
    Files.write(directory.resolve("metadata.log"), new byte[20_000]);

    assertThatThrownBy(this::open)
        .isInstanceOf(MetadataException.class)
        .hasMessage(
            "metadata.log and metadata.copy in " + directory + " have nothing that is whole");
    assertThat(Files.size(directory.resolve("metadata.log"))).isEqualTo(20_000);
    assertThat(directory).isDirectoryNotContaining("glob:**copy");
  }

  @Test
  void acceptedLossKeepsTheDamagedFilesAside() throws Exception {
    Files.write(directory.resolve("metadata.log"), new byte[20_000]);

    try (MetadataJournal log = open(new MetadataJournal.Expected(null, 41, true))) {
      assertThat(log.recover()).isEmpty();
      assertThat(log.sequence()).isEqualTo(42);
    }
    assertThat(directory).isDirectoryContaining("glob:**metadata.log.aside-*");
    try (MetadataJournal log = open()) {
      assertThat(log.sequence()).isEqualTo(42);
    }
  }

  /** Power is lost while the files of which a part is lost are replaced, wherever in that. */
  @Test
  void acceptedLossSurvivesPowerLoss() throws Exception {
    MetadataJournal.Expected accepting = new MetadataJournal.Expected(null, 9, true);
    MemoryDirectory files = new MemoryDirectory();
    open(files, MetadataJournal.Expected.NOTHING).append(List.of(EXCHANGE, QUEUE)).join();
    Random random = new Random(7);
    List<MemoryDirectory> moments = new ArrayList<>();
    MemoryDirectory kept = files.afterPowerLoss(random, 1);
    for (double share : new double[] {0, 0.5, 1}) {
      MemoryDirectory before = kept.afterPowerLoss(random, 1);
      before.beforeChange(() -> moments.add(before.afterPowerLoss(random, share)));
      open(before, accepting).close();
    }

    for (MemoryDirectory moment : moments) {
      try (MetadataJournal log = open(moment, accepting)) {
        assertThat(log.recover()).containsExactly(EXCHANGE, QUEUE);
        assertThat(log.sequence()).isGreaterThan(9);
      }
    }
    assertThat(moments).hasSizeGreaterThan(10);
  }

  private MetadataJournal open(MemoryDirectory files, MetadataJournal.Expected expected)
      throws Exception {
    return MetadataJournal.open(directory, files, expected, THREADS, why -> {});
  }

  @Test
  void metadataThatIsOlderThanTheMessagesIsRefused() {
    write(EXCHANGE, QUEUE);

    assertThatThrownBy(() -> open(new MetadataJournal.Expected(null, 3, false)))
        .isInstanceOf(MetadataException.class)
        .hasMessageContaining("older than the messages");
    try (MetadataJournal log = open(new MetadataJournal.Expected(null, 2, false))) {
      assertThat(log.recover()).hasSize(2);
    }
  }

  @Test
  void metadataOfAnotherDataDirectoryIsRefused() {
    write(EXCHANGE, QUEUE);

    assertThatThrownBy(() -> open(new MetadataJournal.Expected(new UUID(1, 2), 0, false)))
        .isInstanceOf(MetadataException.class)
        .hasMessageContaining("are of another data directory than the messages");
  }

  @Test
  void metadataFileOfAnOlderVersionIsRefusedUnlessLossIsAccepted() throws Exception {
    Path old = Files.write(directory.resolve("metadata.mv"), new byte[8]);

    assertThatThrownBy(this::open)
        .isInstanceOf(MetadataException.class)
        .hasMessage(
            "metadata.mv in "
                + directory
                + " is a database of H2 with the metadata, which this version does not read:"
                + " version 0.2.0 converts it when it is started with this directory");
    assertThat(directory).isDirectoryNotContaining("glob:**metadata.log");

    open(new MetadataJournal.Expected(null, 0, true)).close();
    assertThat(old).hasBinaryContent(new byte[8]);
    assertThat(recovered()).isEmpty();
  }

  @Test
  void metadataFileOfAnOlderVersionIsIgnoredOnceThereIsAJournal() throws Exception {
    write(EXCHANGE);
    Files.write(directory.resolve("metadata.mv"), new byte[8]);

    assertThat(recovered()).containsExactly(EXCHANGE);
    MetadataJournal.delete(directory);
    assertThat(recovered()).isEmpty();
  }

  private void write(MetadataCommand... commands) {
    try (MetadataJournal log = open()) {
      for (MetadataCommand command : commands) {
        log.append(List.of(command)).join();
      }
    }
  }

  private List<MetadataCommand> recovered() {
    try (MetadataJournal log = open()) {
      return log.recover();
    }
  }

  private MetadataJournal open() {
    return open(MetadataJournal.Expected.NOTHING);
  }

  private MetadataJournal open(MetadataJournal.Expected expected) {
    return MetadataJournal.open(directory, expected, THREADS, why -> {});
  }
}
