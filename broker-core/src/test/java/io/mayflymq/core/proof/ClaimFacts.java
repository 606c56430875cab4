package io.mayflymq.core.proof;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.proof.DeadLetterWay.State;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.protocol.types.FieldTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is claimed of a durable queue named q with given settings, which a policy sets. */
public final class ClaimFacts {
  private static final Target OWN = new Target("q.$dlq", true, true, QueueSettings.DEFAULT);
  private static final Target OTHER = new Target("dead", true, false, QueueSettings.DEFAULT);

  private ClaimFacts() {}

  /** Returns the claims. */
  public static List<Claim> claims(QueueValues values) {
    return QueueProof.of(facts(values, Surroundings.DEFAULT));
  }

  /** Returns which they are. */
  public static List<ClaimId> ids(QueueValues values) {
    return claims(values).stream().map(Claim::id).toList();
  }

  static QueueFacts facts(QueueValues values, Surroundings around) {
    Map<String, Object> keys = new LinkedHashMap<>();
    values
        .keys()
        .forEach(
            (key, value) ->
                keys.put(
                    key.wireName(),
                    value instanceof List<?> words
                        ? String.join(",", words.stream().map(String::valueOf).toList())
                        : value));
    PolicyTable policies = PolicyTable.of(values.defaults());
    if (!keys.isEmpty()) {
      String applyTo = values.type() == QueueType.QUORUM ? "quorum_queues" : "classic_queues";
      policies = policies.with(Policy.of(PolicyKind.POLICY, "p", "^q$", applyTo, 7, keys));
    }
    QueueValues byArguments =
        QueueValues.NONE.of(values.type()).withMaxPriority(values.maxPriority());
    return new QueueFacts(
        "/",
        new QueueDefinition("q", true, false, false, FieldTable.EMPTY, byArguments.settings()),
        true,
        policies,
        ClaimFacts::way,
        around);
  }

  /** Its own dead letter queue, or a queue behind any exchange. */
  private static DeadLetterWay way(QueueSettings settings) {
    if (!settings.deadLetters().areWanted()) {
      return DeadLetterWay.NOWHERE;
    }
    return settings.deadLetters().exchange() == null
        ? new DeadLetterWay(State.OWN, List.of(OWN), false)
        : new DeadLetterWay(State.KNOWN, List.of(OTHER), false);
  }

  /** Returns the value that a key would get. */
  static QueueValues with(PolicyKey key, Object value) {
    return QueueValues.NONE.with(key, value);
  }
}
