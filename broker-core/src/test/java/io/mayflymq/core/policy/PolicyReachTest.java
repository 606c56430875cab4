package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PolicyReachTest {
  private static final List<PolicySubject> QUEUES =
      Stream.of("a", "b", "c").map(name -> PolicySubject.queue(QueueType.CLASSIC, name)).toList();
  private static final List<PolicySubject> EXCHANGES =
      List.of(PolicySubject.exchange("amq.topic"), PolicySubject.exchange("orders"));
  private static final Map<String, Object> TTL = Map.of("message-ttl", 1000);

  private static Policy policy(String name, String pattern, int priority, String applyTo) {
    return policy(name, pattern, priority, applyTo, TTL);
  }

  private static Policy policy(
      String name, String pattern, int priority, String applyTo, Map<String, ?> definition) {
    return Policy.of(PolicyKind.POLICY, name, pattern, applyTo, priority, definition);
  }

  private static String said(Policy policy, Policy... others) {
    return reach(policy, QUEUES, others).inWords();
  }

  private static PolicyReach reach(Policy policy, List<PolicySubject> queues, Policy... others) {
    PolicyTable table = PolicyTable.EMPTY;
    for (Policy other : others) {
      table = table.with(other);
    }
    return PolicyReach.of(table.with(policy), policy, queues, EXCHANGES);
  }

  @Test
  void aPolicyThatAppliesSaysToHowMany() {
    assertThat(said(policy("p", ".*", 0, "queues"))).isEqualTo("matches 3 queues: applies to 3");
    assertThat(said(policy("p", "^a$", 0, "all"))).isEqualTo("matches 1 queue: applies to 1");
    assertThat(said(policy("p", ".*", 0, "exchanges", Map.of("alternate-exchange", "x"))))
        .isEqualTo("matches 2 exchanges: applies to 2");
  }

  @Test
  void whatKeepsAnotherPolicyIsNamedWithTheReason() {
    Policy ttl = policy("TTL", ".*", 0, "queues");
    assertThat(said(policy("expiry", ".*", 0, "queues"), ttl))
        .isEqualTo("matches 3 queues: applies to 0; 3 keep 'TTL' (same priority 0, first by name)");
    assertThat(said(policy("AAA", ".*", 0, "queues"), ttl))
        .isEqualTo("matches 3 queues: applies to 3");
    assertThat(
            said(
                policy("expiry", ".*", 0, "queues"),
                policy("high", "^b", 7, "all"),
                policy("higher", "^c", 9, "all")))
        .isEqualTo(
            "matches 3 queues: applies to 1; 1 keeps 'high' (higher priority 7);"
                + " 1 keeps 'higher' (higher priority 9)");
  }

  @Test
  void aPolicyThatMatchesNothingSaysSoAndWhy() {
    assertThat(said(policy("p", "^none$", 0, "all"))).isEqualTo("matches nothing");
    assertThat(said(policy("p", ".*", 0, "quorum_queues")))
        .isEqualTo(
            "matches nothing\n"
                + "3 queues not matched: apply-to 'quorum_queues' does not cover classic queues");
    assertThat(
            said(policy("p", ".*", 0, "all", Map.of("delivery-limit", 3)))
                .replaceFirst("^matches 2 exchanges.*\n", ""))
        .isEqualTo(
            "3 queues not matched: the policy does not apply to classic queues as they do not"
                + " support delivery-limit");
  }

  @Test
  void aPolicyWithoutAKeyForWhatItAppliesToSaysSo() {
    assertThat(said(policy("p", ".*", 0, "exchanges")))
        .isEqualTo(
            "matches 2 exchanges: applies to 2; none of its keys has an effect on exchanges\n"
                + "3 queues not matched: apply-to 'exchanges' does not cover classic queues");
  }

  @Test
  void manyOtherPoliciesAreAddedUp() {
    Policy[] others =
        IntStream.range(0, 8)
            .mapToObj(i -> policy("p" + i, "^q" + i, 5, "queues"))
            .toArray(Policy[]::new);
    List<PolicySubject> queues =
        IntStream.range(0, 8)
            .mapToObj(i -> PolicySubject.queue(QueueType.CLASSIC, "q" + i))
            .toList();
    PolicyReach reach = reach(policy("p", ".*", 0, "queues"), queues, others);
    assertThat(reach.inWords()).endsWith("; 3 keep 3 other policies");
    assertThat(reach.queues().kept()).hasSize(8);
  }
}
