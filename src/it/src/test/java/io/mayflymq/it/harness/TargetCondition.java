package io.mayflymq.it.harness;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;
import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Decides which tests run against the current broker. */
final class TargetCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (findAnnotation(context.getElement(), OwnBroker.class).isPresent()
        && Target.runningPort() != null) {
      return disabled("it starts brokers of its own");
    }
    Optional<NotRemote> local = findAnnotation(context.getElement(), NotRemote.class);
    if (local.isPresent() && BrokerExtension.isRemote(context)) {
      return disabled("the queue is on another node: " + local.get().value());
    }
    Optional<NotYet> missing = findAnnotation(context.getElement(), NotYet.class);
    if (missing.isPresent() && ours(context)) {
      return disabled("not yet: " + missing.get().value());
    }
    return findAnnotation(context.getElement(), MayflyOnly.class)
        .filter(only -> !ours(context))
        .map(only -> disabled("ours only: " + only.value()))
        .orElse(enabled("made for this broker"));
  }

  /** Asks the broker only if it may be another one: a broker that this run starts is MayflyMQ. */
  private static boolean ours(ExtensionContext context) {
    return Target.runningPort() == null || BrokerExtension.target(context).ours();
  }
}
