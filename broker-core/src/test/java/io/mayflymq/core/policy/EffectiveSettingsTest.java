package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.mayflymq.core.policy.EffectiveValue.Loser;
import io.mayflymq.core.policy.PolicyCandidate.Verdict;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EffectiveSettingsTest {
  private static final FieldTable NO_ARGUMENTS = FieldTable.EMPTY;

  @Test
  void everySettingNamesItsSourceAndTheOverriddenOnes() {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-max-length", new FieldValue.Int32(7))
            .put("x-overflow", "reject-publish")
            .put("note", "means nothing")
            .build();
    EffectiveSettings settings =
        PolicyTable.EMPTY
            .with(policy("ttl", "", 0, Map.of("message-ttl", 60_000, "max-length", 10)))
            .with(operator("bound", Map.of("message-ttl", 1_000, "overflow", "drop-head")))
            .explain(queue("orders"), arguments);

    assertThat(settings.values())
        .containsExactly(
            new EffectiveValue(
                PolicyKey.MAX_LENGTH,
                7L,
                ValueOrigin.ARGUMENT,
                null,
                null,
                List.of(
                    new Loser(
                        10L, ValueOrigin.POLICY, "ttl", null, "the lower value counts", false))),
            new EffectiveValue(
                PolicyKey.MESSAGE_TTL,
                1_000L,
                ValueOrigin.OPERATOR_POLICY,
                "bound",
                null,
                List.of(
                    new Loser(
                        60_000L,
                        ValueOrigin.POLICY,
                        "ttl",
                        null,
                        "the lower value counts",
                        false))),
            new EffectiveValue(
                PolicyKey.OVERFLOW,
                "reject-publish",
                ValueOrigin.ARGUMENT,
                null,
                null,
                List.of(
                    new Loser(
                        "drop-head",
                        ValueOrigin.OPERATOR_POLICY,
                        "bound",
                        null,
                        "the argument has precedence",
                        false))));
    assertThat(settings.policyDefinition())
        .isEqualTo(Map.of("max-length", 10L, "message-ttl", 1_000L, "overflow", "drop-head"));
  }

  @Test
  void everyPolicyThatDoesNotApplyNamesTheReason() {
    PolicyTable table =
        PolicyTable.EMPTY
            .with(policy("applies", "ord", 5, Map.of("expires", 1)))
            .with(policy("tie", "ord", 5, Map.of("expires", 1)))
            .with(policy("lower", "ord", 4, Map.of("expires", 1)))
            .with(policy("elsewhere", "^x", 9, Map.of("expires", 1)))
            .with(policy("foreign", "", 9, Map.of("delivery-limit", 3, "max-age", "1D")))
            .with(
                Policy.of(PolicyKind.POLICY, "exchanges", "", "exchanges", 9, Map.of("expires", 1)))
            .with(
                Policy.of(
                    PolicyKind.POLICY,
                    "classic",
                    "",
                    "classic_queues",
                    3,
                    Map.of("delivery-limit", 3)));

    assertThat(table.explain(queue("orders"), NO_ARGUMENTS).candidates())
        .extracting(c -> c.policy().name(), PolicyCandidate::verdict, PolicyCandidate::reason)
        .containsExactlyInAnyOrder(
            tuple("applies", Verdict.APPLIES, ""),
            tuple(
                "tie", Verdict.PRIORITY, "'applies' has the same priority and comes first by name"),
            tuple("lower", Verdict.PRIORITY, "'applies' has the higher priority 5"),
            tuple("classic", Verdict.PRIORITY, "'applies' has the higher priority 5"),
            tuple("elsewhere", Verdict.PATTERN, "pattern '^x' is not found in the name"),
            tuple(
                "foreign",
                Verdict.UNSUPPORTED_KEY,
                "the policy does not apply to classic queues as they do not support"
                    + " delivery-limit, max-age"),
            tuple(
                "exchanges",
                Verdict.APPLY_TO,
                "apply-to 'exchanges' does not cover classic queues"));
  }

  @Test
  void mergeOfArgumentAndPolicyDependsOnTheQueueType() {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-overflow", "drop-head")
            .put("x-delivery-limit", new FieldValue.Int32(5))
            .put("x-max-length-bytes", new FieldValue.Int32(1))
            .build();
    PolicyTable quorum =
        PolicyTable.EMPTY.with(
            policy("p", "", 0, Map.of("overflow", "reject-publish", "delivery-limit", -1)));
    PolicyTable stream = PolicyTable.EMPTY.with(policy("p", "", 0, Map.of("max-length-bytes", 50)));

    EffectiveSettings ofQuorum =
        quorum.explain(PolicySubject.queue(QueueType.QUORUM, "q"), arguments);
    assertThat(ofQuorum.value(PolicyKey.OVERFLOW).orElseThrow().value())
        .isEqualTo("reject-publish");
    assertThat(ofQuorum.value(PolicyKey.DELIVERY_LIMIT).orElseThrow().value()).isEqualTo(5L);
    assertThat(
            stream
                .explain(PolicySubject.queue(QueueType.STREAM, "q"), arguments)
                .value(PolicyKey.MAX_LENGTH_BYTES)
                .orElseThrow()
                .value())
        .isEqualTo(50L);
  }

  /** As RabbitMQ 4.3.6 was seen to do. */
  @Test
  void aPolicyAppliesToTypesOfQueuesThatSupportItsKeys() {
    PolicyTable located =
        PolicyTable.EMPTY.with(policy("p", "", 0, Map.of("queue-leader-locator", "balanced")));
    PolicyTable retried =
        PolicyTable.EMPTY.with(
            policy("p", "", 0, Map.of("delayed-retry-type", "all", "delayed-retry-min", 10)));

    assertThat(QueueType.values())
        .allMatch(type -> located.byPolicies(PolicySubject.queue(type, "q")).policy().isPresent());
    assertThat(QueueType.values())
        .filteredOn(type -> retried.byPolicies(PolicySubject.queue(type, "q")).policy().isPresent())
        .containsExactly(QueueType.CLASSIC, QueueType.QUORUM);
  }

  @Test
  void argumentOfAnExchangeOverridesAPolicy() {
    PolicyTable table =
        PolicyTable.EMPTY.with(policy("p", "", 0, Map.of("alternate-exchange", "by-policy")));
    FieldTable arguments = FieldTable.builder().put("alternate-exchange", "by-argument").build();

    assertThat(table.alternateExchangeOf("x", NO_ARGUMENTS)).isEqualTo("by-policy");
    assertThat(table.alternateExchangeOf("x", arguments)).isEqualTo("by-argument");
    assertThat(PolicyTable.EMPTY.alternateExchangeOf("x", arguments)).isEqualTo("by-argument");
    assertThat(PolicyTable.EMPTY.alternateExchangeOf("x", NO_ARGUMENTS)).isNull();
  }

  @Test
  void invalidArgumentNotCheckedAtDeclarationIsIgnored() {
    FieldTable arguments =
        FieldTable.builder().put("x-consumer-timeout", "soon").put("x-queue-mode", 5).build();
    EffectiveSettings settings =
        PolicyTable.EMPTY
            .with(policy("p", "", 0, Map.of("consumer-timeout", 5)))
            .explain(queue("q"), arguments);

    assertThat(settings.values())
        .extracting(EffectiveValue::key, EffectiveValue::value)
        .containsExactly(tuple(PolicyKey.CONSUMER_TIMEOUT, 5L));
  }

  @Test
  void mapOfEffectiveSettingsHasAllFields() {
    Map<String, Object> map =
        PolicyTable.EMPTY
            .with(policy("p", "", 0, Map.of("queue-mode", "lazy")))
            .explain(queue("q"), NO_ARGUMENTS)
            .toMap();

    assertThat(map)
        .containsEntry("name", "q")
        .containsEntry("kind", "classic queue")
        .containsEntry("policy", "p")
        .containsEntry("operator_policy", null)
        .containsEntry("effective_policy_definition", Map.of("queue-mode", "lazy"));
    assertThat(map.get("settings").toString())
        .isEqualTo(
            "[{key=queue-mode, value=lazy, origin=policy, policy=p, effect=false, losers=[]}]");
    assertThat(map.get("candidates").toString())
        .isEqualTo(
            "[{kind=policy, name=p, pattern=, apply-to=all, priority=0, verdict=applies,"
                + " reason=}]");
  }

  @Test
  void whatAnyPolicyPausesIsPaused() {
    PolicyTable table = PolicyTable.EMPTY.with(policy("p", "", 0, Map.of("pause", "publishing")));
    assertThat(pause(table.with(QueuePause.of("q", Pause.PUBLISHING, null))))
        .isEqualTo("publishing");
    PolicyTable both = table.with(QueuePause.of("q", Pause.DELIVERIES, null));
    EffectiveValue value =
        both.explain(queue("q"), NO_ARGUMENTS).value(PolicyKey.PAUSE).orElseThrow();
    assertThat(value.value()).isEqualTo("both");
    assertThat(value.losers())
        .containsExactly(
            new Loser(
                "publishing",
                ValueOrigin.POLICY,
                "p",
                null,
                "it counts as well: what any of them pauses is paused",
                true));
    assertThat(value.toMap().toString()).contains("counts=true");
    assertThat(
            both.explain(queue("q"), NO_ARGUMENTS)
                .toQueueSettings(QueueSettings.DEFAULT)
                .pace()
                .pausesPublishing())
        .isTrue();

    PolicyTable operators =
        PolicyTable.EMPTY
            .with(operator("o", Map.of("pause", "publishing")))
            .with(QueuePause.of("q", Pause.DELIVERIES, null));
    assertThat(pause(operators)).isEqualTo("both");
  }

  private static Object pause(PolicyTable table) {
    return table
        .explain(queue("q"), NO_ARGUMENTS)
        .value(PolicyKey.PAUSE)
        .map(EffectiveValue::value)
        .orElse(null);
  }

  @Test
  void pauseOfAQueueIsToldFromOtherPoliciesOfItsName() {
    for (Pause pause : Pause.values()) {
      assertThat(QueuePause.is(QueuePause.of("a.b", pause, null), "a.b")).isTrue();
    }
    assertThat(QueuePause.is(QueuePause.of("q", Pause.BOTH, PauseTtl.STOP), "q")).isTrue();
    assertThat(QueuePause.is(operator("pause:q", Map.of("max-length", 5)), "q")).isFalse();
    assertThat(QueuePause.is(operator("pause:q", Map.of("pause", "both")), "q")).isFalse();
  }

  private static PolicySubject queue(String name) {
    return PolicySubject.queue(QueueType.CLASSIC, name);
  }

  private static Policy policy(
      String name, String pattern, int priority, Map<String, Object> definition) {
    return Policy.of(PolicyKind.POLICY, name, pattern, "all", priority, definition);
  }

  private static Policy operator(String name, Map<String, Object> definition) {
    return Policy.of(PolicyKind.OPERATOR_POLICY, name, "", "all", 0, definition);
  }
}
