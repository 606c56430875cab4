package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyCandidate;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;

/**
 * What a classic queue becomes when it is made a quorum queue, and what excludes that: properties,
 * arguments and policies that would not have the effect any more that they have.
 */
public final class QuorumConversion {
  /** Arguments of classic queues without effect in this broker, which are left away. */
  private static final List<String> WITHOUT_EFFECT =
      List.of("x-queue-mode", "x-queue-version", "x-queue-master-locator");

  private QuorumConversion() {}

  /**
   * Returns the definition of the quorum queue. That of a quorum queue, and of an own dead letter
   * queue, stays what it is.
   *
   * @param queue one that was checked by {@link #require}
   * @param vhost its virtual host
   */
  public static QueueDefinition of(QueueDefinition queue, String vhost) {
    if (queue.settings().type() == QueueType.QUORUM || AutoDeadLetterQueue.is(queue)) {
      return queue;
    }
    FieldTable arguments = queue.arguments();
    for (String argument : WITHOUT_EFFECT) {
      arguments = arguments.without(argument);
    }
    QueueArguments.Valid valid =
        QueueArguments.parse(
            arguments.with(QueueType.ARGUMENT, FieldValue.of(QueueType.QUORUM.wireName())),
            queue.name(),
            vhost);
    return new QueueDefinition(
        queue.name(),
        queue.durable(),
        queue.exclusive(),
        queue.autoDelete(),
        valid.table(),
        valid.settings(),
        queue.declaredBy());
  }

  /**
   * Checks that a queue can become a quorum queue.
   *
   * @param policies those of its virtual host
   * @throws ChannelException 406 if it cannot; the text names everything that excludes it
   */
  public static void require(Queue queue, PolicyTable policies) {
    List<String> obstacles = new ArrayList<>();
    QueueDefinition definition = queue.definition();
    if (definition.settings().type() == QueueType.STREAM) {
      obstacles.add("it is a stream");
    } else if (definition.settings().type() == QueueType.CLASSIC) {
      addProperties(definition, obstacles);
      if (!AutoDeadLetterQueue.is(definition)) {
        addArguments(definition.arguments(), obstacles);
        addPolicies(definition, policies, obstacles);
      }
    }
    if (!obstacles.isEmpty()) {
      throw Preconditions.precondition(
          queue, "cannot become a quorum queue: " + String.join("; ", obstacles));
    }
  }

  private static void addProperties(QueueDefinition queue, List<String> obstacles) {
    if (queue.exclusive()) {
      obstacles.add("it is exclusive");
    } else if (!queue.durable()) {
      obstacles.add("it is not durable");
    }
    if (queue.autoDelete()) {
      obstacles.add("it is auto-delete");
    }
  }

  private static void addArguments(FieldTable arguments, List<String> obstacles) {
    List<String> refused = new ArrayList<>(QueueType.QUORUM.argumentsOfOthers());
    refused.removeAll(WITHOUT_EFFECT);
    PolicyKey.ofArguments().stream()
        .filter(key -> !key.isSupportedBy(QueueType.QUORUM))
        .forEach(key -> refused.addAll(key.arguments()));
    refused.stream()
        .distinct()
        .filter(arguments::containsKey)
        .forEach(
            argument -> obstacles.add("quorum queues have no argument '%s'".formatted(argument)));
  }

  private static void addPolicies(
      QueueDefinition queue, PolicyTable policies, List<String> obstacles) {
    PolicySubject before = PolicySubject.queue(QueueType.CLASSIC, queue.name());
    for (PolicyCandidate candidate :
        policies
            .explain(PolicySubject.queue(QueueType.QUORUM, queue.name()), queue.arguments())
            .candidates()) {
      Policy policy = candidate.policy();
      if (candidate.verdict() == PolicyCandidate.Verdict.UNSUPPORTED_KEY
          && policies.layers(policy.kind(), before).contains(policy)) {
        obstacles.add(
            "%s '%s' applies to it: %s"
                .formatted(
                    policy.kind() == PolicyKind.POLICY ? "policy" : "operator policy",
                    policy.name(),
                    candidate.reason()));
      }
    }
  }
}
