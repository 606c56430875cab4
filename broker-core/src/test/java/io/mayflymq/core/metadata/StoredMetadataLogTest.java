package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.core.fault.Faults;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredMetadataLogTest {
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
              QueueArguments.parse(ARGUMENTS, "q", "v").settings()),
          1L << 40,
          7);

  private static final Binding BINDING =
      new Binding("x", DestinationKind.QUEUE, "q", "key", ARGUMENTS);

  @TempDir Path directory;

  @Test
  void whatWasSafeIsThereAgain() {
    write(EXCHANGE, QUEUE, new MetadataCommand.Bound("v", BINDING));

    assertThat(recovered())
        .containsExactly(EXCHANGE, QUEUE, new MetadataCommand.Bound("v", BINDING));
  }

  @Test
  void whatWasDeletedIsNot() {
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
  void policiesComeBackBeforeWhatTheyApplyTo() {
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
  void aPolicyThatWasClearedIsGoneAndTheOperatorsOfTheSameNameStays() {
    MetadataCommand operators = policy(PolicyKind.OPERATOR_POLICY, "p", Map.of("max-length", 1));
    write(
        policy(PolicyKind.POLICY, "p", Map.of("max-length", 1)),
        operators,
        new MetadataCommand.PolicyCleared("v", PolicyKind.POLICY, "p"));

    assertThat(recovered()).containsExactly(operators);
  }

  private static MetadataCommand policy(
      PolicyKind kind, String name, Map<String, Object> definition) {
    return new MetadataCommand.PolicySet(
        "v", Policy.of(kind, name, "^ü", "queues", -3, definition));
  }

  @Test
  void bindingsThatDifferInArgumentsOnlyAreTwo() {
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
  void namesThatRunTogetherAreToldApart() {
    assertThat(MetadataEntry.key("a", "bc")).isNotEqualTo(MetadataEntry.key("ab", "c"));
    assertThat(MetadataEntry.key("1:a", "b")).isNotEqualTo(MetadataEntry.key("1", ":ab"));
  }

  @Test
  void aClosedLogRefusesInWords() {
    StoredMetadataLog log = StoredMetadataLog.open(file(), THREADS, why -> {});
    log.close();

    CompletableFuture<Void> refused = log.append(List.of(QUEUE));

    assertThatThrownBy(refused::join)
        .cause()
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("the change could not be made durable: the broker is stopping");
  }

  @Test
  void longTextsAreKept() {
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
  void whatIsTooLargeIsRefusedForItsOwnSakeOnly() {
    MetadataCommand huge =
        new MetadataCommand.GlobalParameterSet("p", "\"" + "x".repeat(1 << 20) + "\"");
    try (StoredMetadataLog log = StoredMetadataLog.open(file(), THREADS, why -> {})) {
      assertThatThrownBy(() -> log.append(List.of(QUEUE, huge)))
          .isInstanceOf(ChannelException.class)
          .hasMessageContaining("is too large: expected at most 1048576");
      log.append(List.of(EXCHANGE)).join();
    }
    assertThat(recovered()).containsExactly(EXCHANGE);
  }

  @Test
  void aFileOfSomethingElseIsRefusedInWords() throws Exception {
    Files.write(file(), new byte[20_000]);

    assertThatThrownBy(() -> StoredMetadataLog.open(file(), THREADS, why -> {}))
        .isInstanceOf(MetadataException.class)
        .hasMessageStartingWith("cannot open metadata in " + file());
    assertThat(Files.size(file())).isEqualTo(20_000);
  }

  private void write(MetadataCommand... commands) {
    try (StoredMetadataLog log = StoredMetadataLog.open(file(), THREADS, why -> {})) {
      for (MetadataCommand command : commands) {
        log.append(List.of(command)).join();
      }
    }
  }

  private List<MetadataCommand> recovered() {
    try (StoredMetadataLog log = StoredMetadataLog.open(file(), THREADS, why -> {})) {
      return log.recover();
    }
  }

  private Path file() {
    return directory.resolve("metadata.mv");
  }
}
