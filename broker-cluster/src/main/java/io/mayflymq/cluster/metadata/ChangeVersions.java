package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Assigning;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueRedefined;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyDefinition;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The versions of changes that this build reads and writes: of the entries of the replicated log,
 * and of the commands in them.
 *
 * <p>A node writes the version that all members know, so nodes of two releases can be members at
 * once. A release that adds a command, or changes the layout of one, raises {@link #highest}, and
 * writes what is new only in changes of that version.
 */
public final class ChangeVersions {
  /** The first version in which queues can be moved. */
  public static final int OF_MOVES = 2;

  /** The first version in which partitions have replicas. */
  public static final int OF_REPLICAS = 3;

  /**
   * The first version in which queues take arguments over from later declarations, policies are for
   * many virtual hosts, deleted queues can be brought back, publishers wait at full queues, and
   * users and virtual hosts have limits of rates.
   */
  public static final int OF_ADOPTIONS = 4;

  /** The keys of policies that an earlier node cannot read. */
  private static final Set<PolicyKey> KEYS_OF_ADOPTIONS =
      Collections.unmodifiableSet(
          EnumSet.of(
              PolicyKey.BLOCK_TIMEOUT,
              PolicyKey.DEADLINE_REPLIES,
              PolicyKey.DELIVER_AT_HEADER,
              PolicyKey.FAIR_BY,
              PolicyKey.LOCK_RENEWALS_MAX,
              PolicyKey.ON_MISMATCH,
              PolicyKey.PAUSE_TTL));

  private ChangeVersions() {}

  /** Returns the version that all members have to know before these commands are proposed. */
  static int of(List<? extends MetadataCommand> commands) {
    if (commands.stream().anyMatch(ChangeVersions::isOfAdoptions)) {
      return OF_ADOPTIONS;
    }
    return commands.stream().anyMatch(ChangeVersions::isOfReplicas) ? OF_REPLICAS : lowest();
  }

  private static boolean isOfAdoptions(MetadataCommand command) {
    return command instanceof QueueRedefined
        || command instanceof QueueKept
        || command instanceof QueueForgotten
        || command instanceof QueueReturned
        || command instanceof VhostPolicySet
        || command instanceof VhostPolicyCleared
        || (command instanceof PolicySet set && isOfAdoptions(set.policy().definition()))
        || (command instanceof QueueDeclared declared && blocks(declared))
        || (command instanceof UserDeclared declared && hasRate(declared.user().limits()))
        || (command instanceof VhostDeclared declared && hasRate(declared.definition().limits()));
  }

  private static boolean isOfAdoptions(PolicyDefinition definition) {
    return definition.keys().stream().anyMatch(KEYS_OF_ADOPTIONS::contains)
        || Overflow.BLOCK.wireName().equals(definition.get(PolicyKey.OVERFLOW));
  }

  /** A node that does not know the value cannot read the declaration. */
  private static boolean blocks(QueueDeclared declared) {
    return FieldValue.of(Overflow.BLOCK.wireName())
        .equals(declared.queue().arguments().get(QueueArguments.OVERFLOW));
  }

  private static boolean hasRate(Limits limits) {
    return limits.asMap().keySet().stream().anyMatch(Limit::isRate);
  }

  private static boolean isOfReplicas(MetadataCommand command) {
    return command instanceof Assigning
        || (command instanceof QueueDeclared declared && declared.place().isReplicated())
        || (command instanceof QueueMoving moving && moving.to().isReplicated());
  }

  /** Returns the lowest version that is read; 1 or higher. */
  public static int lowest() {
    return 1;
  }

  /** Returns the highest version that is read and written; at most 127. */
  public static int highest() {
    return OF_ADOPTIONS;
  }
}
