package io.mayflymq.core.proof;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import java.util.function.Function;

/**
 * What a proof about a queue follows from.
 *
 * @param vhost the virtual host that it is in
 * @param definition what was declared
 * @param takesPolicies whether policies apply to it: not to an automatic dead letter queue
 * @param policies those of the virtual host
 * @param ways where dead letters go by given settings of the queue
 * @param around what counts besides
 */
public record QueueFacts(
    String vhost,
    QueueDefinition definition,
    boolean takesPolicies,
    PolicyTable policies,
    Function<QueueSettings, DeadLetterWay> ways,
    Surroundings around) {

  /** Which messages survive the end of the broker. */
  enum Kept {
    NONE,
    PERSISTENT,
    ALL
  }

  PolicySubject subject() {
    return PolicySubject.queue(definition.settings().type(), definition.name());
  }

  /** Returns the policies and defaults that apply to it. */
  PolicyTable table() {
    return takesPolicies ? policies : PolicyTable.EMPTY;
  }

  EffectiveSettings effective() {
    return table().explain(subject(), definition.arguments());
  }

  Kept kept() {
    if (definition.settings().type() == QueueType.QUORUM) {
      return Kept.ALL;
    }
    return definition.durable() ? Kept.PERSISTENT : Kept.NONE;
  }

  /** Returns the same with another policy. */
  QueueFacts with(Policy policy) {
    return new QueueFacts(vhost, definition, takesPolicies, policies.with(policy), ways, around);
  }
}
