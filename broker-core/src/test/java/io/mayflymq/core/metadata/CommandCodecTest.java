package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Every command arrives at another node as it was. */
class CommandCodecTest {
  private static final FieldTable ARGUMENTS =
      FieldTable.builder().put("x-expires", 1000).put("ü:3", "a:b").build();
  private static final User USER = new User("u", PasswordHash.of("secret"), List.of("monitoring"));

  private static final Assignment ASSIGNMENT = Assignment.first(List.of(1023, 4, 9), 4);

  private static QueueDefinition queue(boolean durable, boolean exclusive) {
    QueueArguments.Valid valid = QueueArguments.parse(ARGUMENTS, "q", "v");
    return new QueueDefinition(
        "q:1", durable, exclusive, true, valid.table(), valid.settings(), "ü:1");
  }

  private static Policy policy(PolicyKind kind) {
    return Policy.of(
            kind, "p:1", "^ü", "queues", -3, Map.of("on-mismatch", Map.of("x-expires", "keep")))
        .merging(true);
  }

  private static final List<MetadataCommand> COMMANDS =
      List.of(
          new MetadataCommand.ExchangeDeclared(
              "v", new ExchangeDefinition("x", ExchangeType.TOPIC, false, true, true, ARGUMENTS)),
          new MetadataCommand.ExchangeDeclared(
              "v", new ExchangeDefinition("x", ExchangeType.TOPIC, true, true, false, ARGUMENTS)),
          new MetadataCommand.ExchangeDeleted("v", "x"),
          new MetadataCommand.QueueDeclared(
              "v", queue(true, false), 1L << 39, new QueuePlace(0, 7)),
          new MetadataCommand.QueueDeclared("v", queue(true, false), 8, new QueuePlace(1023, 7)),
          new MetadataCommand.QueueDeclared("v", queue(false, true), 9, new QueuePlace(0, 0)),
          new MetadataCommand.QueueDeclared("v", queue(true, false), 8, QueuePlace.replicated(5)),
          new MetadataCommand.QueueRedefined("v", queue(true, false), 8),
          new MetadataCommand.QueueRedefined("v", queue(false, true), 9),
          new MetadataCommand.QueueDeleted("v", "q:1"),
          new MetadataCommand.Bound(
              "v", new Binding("x:y", DestinationKind.QUEUE, "2:q", "k:ü", ARGUMENTS)),
          new MetadataCommand.Unbound(
              "v", new Binding("x:y", DestinationKind.EXCHANGE, "2:q", "k:ü", ARGUMENTS)),
          new MetadataCommand.PolicyCleared("v", PolicyKind.OPERATOR_POLICY, "p:1"),
          new MetadataCommand.PolicySet("v", policy(PolicyKind.POLICY)),
          new MetadataCommand.VhostPolicySet(policy(PolicyKind.POLICY).forVhosts("^tenant-")),
          new MetadataCommand.VhostPolicySet(policy(PolicyKind.OPERATOR_POLICY).forVhosts("")),
          new MetadataCommand.VhostPolicyCleared(PolicyKind.OPERATOR_POLICY, "p:1"),
          new MetadataCommand.VhostDeclared(VhostDefinition.of("v")),
          new MetadataCommand.VhostDeleted("v"),
          new MetadataCommand.UserDeclared(USER),
          new MetadataCommand.UserDeleted("u"),
          new MetadataCommand.PermissionsCleared("u:1", "v"),
          new MetadataCommand.TopicPermissionsCleared("u:1", "v", "x:2"),
          new MetadataCommand.ParameterSet("v", "c", "n", "{}"),
          new MetadataCommand.ParameterCleared("v", "c:1", "n"),
          new MetadataCommand.GlobalParameterSet("n", "1"),
          new MetadataCommand.GlobalParameterCleared("n"),
          new MetadataCommand.MemberSet(
              new ClusterMember(
                  5, new UUID(1, 2), "b@host", "127.0.0.1:25672", ClusterMember.State.DRAINED, 7)),
          new MetadataCommand.PartitionAssigned(6, ASSIGNMENT),
          new MetadataCommand.AssignmentChanged(6, ASSIGNMENT.elect(9, Set.of(9, 1023))),
          new MetadataCommand.AssignmentChanged(
              6, new AssignmentChange.InSync(1L << 40, Set.of(1023, 4))),
          new MetadataCommand.AssignmentChanged(
              6, new AssignmentChange.Replicas(2, List.of(4, 9, 5))),
          new MetadataCommand.AssignmentChanged(6, new AssignmentChange.Alone(3, 1023)),
          new MetadataCommand.Applied(3, 1L << 40, 17),
          new MetadataCommand.QueueIs("v", "q", 5),
          new MetadataCommand.ExchangeUnused("v", "x"),
          new MetadataCommand.UserIs("u", null),
          new MetadataCommand.UserIs("u", USER),
          new MetadataCommand.VhostIs("v", null),
          new MetadataCommand.VhostIs("v", VhostDefinition.of("v")));

  @Test
  void commandsArriveAsTheyWere() {
    for (MetadataCommand command : COMMANDS) {
      assertThat(CommandCodec.decode(CommandCodec.encode(List.of(command))))
          .containsExactly(command);
    }
    assertThat(CommandCodec.decode(CommandCodec.encode(COMMANDS))).isEqualTo(COMMANDS);
  }

  @Test
  void damagedCommandsAreRefused() {
    byte[] whole = CommandCodec.encode(COMMANDS);
    for (int length = 0; length < whole.length; length += 7) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> CommandCodec.decode(cut)).isInstanceOf(MetadataException.class);
    }
    byte[] unknown = whole.clone();
    unknown[4] = 99;
    assertThatThrownBy(() -> CommandCodec.decode(unknown))
        .isInstanceOf(MetadataException.class)
        .hasMessageContaining("unknown kind 99");
  }
}
