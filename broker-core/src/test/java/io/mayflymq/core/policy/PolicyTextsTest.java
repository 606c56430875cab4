package io.mayflymq.core.policy;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.mayflymq.protocol.types.FieldTable;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The texts are what RabbitMQ says to the same definition. */
class PolicyTextsTest {
  private static final Map<String, Object> VALID = Map.of("max-length", 1);

  static Stream<Arguments> refusedDefinitions() {
    return Stream.of(
        arguments(Map.of(), "no policy provided"),
        arguments(Map.of("foo", 1), "[{<<\"foo\">>,1}] are not recognised policy settings"),
        arguments(
            Map.of("foo", "a", "bar", List.of(1, "x"), "baz", Map.of("k", 1.5)),
            "[{<<\"bar\">>,[1,<<\"x\">>]},{<<\"baz\">>,#{<<\"k\">> => 1.5}},"
                + "{<<\"foo\">>,<<\"a\">>}] are not recognised policy settings"),
        arguments(
            Map.of("foo", true, "max-length", 1),
            "[{<<\"foo\">>,true}] are not recognised policy settings"),
        arguments(nullAt("foo"), "[{<<\"foo\">>,null}] are not recognised policy settings"),
        arguments(
            Map.of("max-priority", 5),
            "[{<<\"max-priority\">>,5}] are not recognised policy settings"),
        arguments(Map.of("max-length", -1), "-1 is not a valid maximum length"),
        arguments(Map.of("max-length", "abc"), "<<\"abc\">> is not a valid maximum length"),
        arguments(Map.of("max-length", "ä"), "<<\"ä\">> is not a valid maximum length"),
        arguments(Map.of("max-length", "文"), "<<230,150,135>> is not a valid maximum length"),
        arguments(Map.of("max-length", "\"\\"), "<<\"\\\"\\\\\">> is not a valid maximum length"),
        arguments(Map.of("max-length", "\1\2"), "<<1,2>> is not a valid maximum length"),
        arguments(Map.of("max-length", ""), "<<>> is not a valid maximum length"),
        arguments(Map.of("max-length", 1.5), "1.5 is not a valid maximum length"),
        arguments(Map.of("max-length", 1.0), "1.0 is not a valid maximum length"),
        arguments(Map.of("max-length", 1e3), "1.0e3 is not a valid maximum length"),
        arguments(Map.of("max-length", 0.1), "0.1 is not a valid maximum length"),
        arguments(Map.of("max-length", 1e22), "1.0e22 is not a valid maximum length"),
        arguments(Map.of("max-length", 1e-7), "1.0e-7 is not a valid maximum length"),
        arguments(Map.of("max-length", 123456.75), "123456.75 is not a valid maximum length"),
        arguments(nullAt("max-length"), "null is not a valid maximum length"),
        arguments(Map.of("max-length", true), "true is not a valid maximum length"),
        arguments(Map.of("max-length", List.of()), "[] is not a valid maximum length"),
        arguments(Map.of("max-length", List.of(1, 2)), "[1,2] is not a valid maximum length"),
        arguments(
            Map.of("max-length", Map.of("a", 1)),
            "#{<<\"a\">> => 1} is not a valid maximum length"),
        arguments(Map.of("max-length-bytes", -1), "-1 is not a valid maximum length in bytes"),
        arguments(Map.of("max-in-memory-length", -1), "-1 is not a valid maximum memory in bytes"),
        arguments(Map.of("max-in-memory-bytes", -1), "-1 is not a valid maximum memory in bytes"),
        arguments(Map.of("message-ttl", -1), "-1 is not a valid message TTL"),
        arguments(Map.of("message-ttl", "10"), "<<\"10\">> is not a valid message TTL"),
        arguments(Map.of("expires", 0), "0 is not a valid queue expiry"),
        arguments(Map.of("expires", "x"), "<<\"x\">> is not a valid queue expiry"),
        arguments(Map.of("overflow", "x"), "<<\"x\">> is not a valid overflow value"),
        arguments(Map.of("overflow", 1), "1 is not a valid overflow value"),
        arguments(Map.of("dead-letter-exchange", 1), "1 is not a valid dead letter exchange name"),
        arguments(Map.of("dead-letter-routing-key", 1), "1 is not a valid dead letter routing key"),
        arguments(
            Map.of("dead-letter-strategy", "x"), "<<\"x\">> is not a valid dead letter strategy"),
        arguments(Map.of("fair-by", ""), "<<>> is not a valid name of a header"),
        arguments(Map.of("deadline-header", ""), "<<>> is not a valid name of a header"),
        arguments(Map.of("deliver-at-header", ""), "<<>> is not a valid name of a header"),
        arguments(Map.of("deadline-notify", ""), "<<>> is not a valid name of an exchange"),
        arguments(Map.of("alternate-exchange", 1), "1 is not a valid alternate exchange name"),
        arguments(Map.of("delivery-limit", "x"), "<<\"x\">> is not a valid delivery limit"),
        arguments(Map.of("max-age", "1x"), "<<\"1x\">> is not a valid max age"),
        arguments(
            Map.of("stream-max-segment-size-bytes", 3_000_000_001L),
            "3000000001 is not a valid segment size"),
        arguments(
            Map.of("queue-leader-locator", "x"),
            "<<\"x\">> is not a valid queue leader locator value"),
        arguments(Map.of("initial-cluster-size", -1), "-1 is not a valid cluster size"),
        arguments(Map.of("target-group-size", 0), "0 is not a valid qq target count value"),
        arguments(
            Map.of("delayed-retry-type", "x", "delayed-retry-min", 1),
            "<<\"x\">> is not a valid delayed retry type. Must be one of: all, failed, returned,"
                + " disabled"),
        arguments(
            Map.of("delayed-retry-min", 0),
            "0 is not a valid delayed retry minimum delay. Must be a positive integer"),
        arguments(
            Map.of("delayed-retry-min", 10, "delayed-retry-max", -1),
            "-1 is not a valid delayed retry maximum delay. Must be a positive integer"),
        arguments(Map.of("queue-mode", "x"), "<<\"x\">> is not a valid queue-mode value"),
        arguments(Map.of("queue-version", 5), "5 is not a valid queue-version value"),
        arguments(
            Map.of("queue-master-locator", "x"), "<<\"x\">> invalid queue-master-locator value"),
        arguments(Map.of("ha-mode", "x"), "<<\"x\">> is not a valid ha-mode value"),
        arguments(Map.of("ha-mode", "exactly"), "ha-mode=\"exactly\" takes an integer, none given"),
        arguments(
            Map.of("ha-mode", "exactly", "ha-params", 0),
            "ha-mode=\"exactly\" takes an integer, 0 given"),
        arguments(
            Map.of("ha-mode", "nodes", "ha-params", List.of(1)),
            "ha-mode=\"nodes\" takes a list of strings, [1] was not a string"),
        arguments(
            Map.of("ha-mode", "all", "ha-params", 1), "ha-mode=\"all\" does not take parameters"),
        arguments(
            Map.of("ha-sync-mode", "automatic"),
            "ha-mode must be specified to specify ha-params, ha-sync-mode or"
                + " ha-promote-on-shutdown"),
        arguments(
            Map.of("ha-mode", "all", "ha-sync-mode", "x"),
            "ha-sync-mode must be \"manual\" or \"automatic\", got <<\"x\">>"),
        arguments(
            Map.of("ha-mode", "all", "ha-sync-batch-size", 0),
            "ha-sync-batch-size takes an integer greater than 0, 0 given"),
        arguments(
            Map.of("ha-mode", "all", "ha-promote-on-shutdown", "x"),
            "ha-promote-on-shutdown must be \"always\" or \"when-synced\", got <<\"x\">>"),
        arguments(
            Map.of("delayed-retry-type", "all"),
            "delayed-retry-min is required when delayed-retry-type is all"),
        arguments(
            Map.of("delayed-retry-min", 10, "delayed-retry-max", 5),
            "delayed-retry-max (5) must not be smaller than delayed-retry-min (10)"),
        arguments(Map.of("max-length", -1, "foo", -1), "-1 is not a valid maximum length"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedDefinitions")
  void invalidDefinitionsAreRefusedWithRabbitMqsText(Map<String, ?> definition, String text) {
    assertThatThrownBy(() -> policy("q", definition))
        .isInstanceOf(PolicyException.class)
        .hasMessage(text);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("definitionsForUsersOnly")
  void operatorPolicyRefusesKeysOfUserPolicies(Map<String, ?> definition, String text) {
    assertThat(policy("q", definition).definition().toMap()).isEqualTo(definition);
    assertThatThrownBy(() -> Policy.of(PolicyKind.OPERATOR_POLICY, "o", "q", "all", 0, definition))
        .isInstanceOf(PolicyException.class)
        .hasMessage(text);
  }

  static Stream<Arguments> definitionsForUsersOnly() {
    return Stream.of(
        arguments(
            Map.of("dead-letter-exchange", "x"),
            "[{<<\"dead-letter-exchange\">>,<<\"x\">>}] are not recognised policy settings"),
        arguments(
            Map.of("alternate-exchange", "x"),
            "[{<<\"alternate-exchange\">>,<<\"x\">>}] are not recognised policy settings"),
        arguments(
            Map.of("ha-mode", "all", "ha-promote-on-failure", "always"),
            "[{<<\"ha-promote-on-failure\">>,<<\"always\">>}] are not recognised policy settings"));
  }

  @Test
  void tooLargePatternIsRefusedUnlessReadFromTheJournal() {
    String pattern = "((a{1000}){1000}){1000}";
    assertThatThrownBy(() -> policy(pattern, VALID))
        .isInstanceOf(PolicyException.class)
        .hasMessageStartingWith("pattern should be smaller: regular expression is too large");

    Policy kept = Policy.kept(PolicyKind.POLICY, "old", pattern, "all", 0, VALID);
    assertThat(kept.pattern()).isEqualTo(pattern);
    assertThat(kept.problem()).contains("too large");
    PolicySubject queue = PolicySubject.queue(QueueType.CLASSIC, "aaa");
    PolicyTable table = PolicyTable.EMPTY.with(kept);
    assertThat(table.applying(PolicyKind.POLICY, queue)).isNull();
    assertThat(table.patternsSize()).isZero();
    assertThat(table.explain(queue, FieldTable.EMPTY).candidates())
        .singleElement()
        .satisfies(
            candidate ->
                assertThat(candidate.reason())
                    .startsWith("pattern '" + pattern + "' is looked for in no name: regular"));
  }

  @Test
  void patternOfUpstreamsIsARegularExpressionUnlessReadFromTheJournal() {
    Map<String, Object> definition = Map.of("federation-upstream-pattern", "(");
    assertThatThrownBy(() -> policy("q", definition))
        .isInstanceOf(PolicyException.class)
        .hasMessageStartingWith("could not compile pattern ( to a regular expression. Error: {");
    Policy kept = Policy.kept(PolicyKind.POLICY, "old", "q", "all", 0, definition);
    assertThat(kept.definition().toMap()).isEqualTo(definition);
  }

  @Test
  void aValueThatIsRefusedIsTold() {
    assertThatThrownBy(() -> policy("q", Map.of("dead-letter-on", List.of("foo"))))
        .isInstanceOfSatisfying(
            PolicyException.class,
            e -> assertThat(e.report()).endsWith("\n'dead-letter-on' is [foo]\n"));
  }

  @Test
  void operatorPolicyAcceptsMirroringKeys() {
    Map<String, Object> definition =
        Map.of("ha-mode", "exactly", "ha-params", 2L, "ha-sync-mode", "automatic");
    assertThat(
            Policy.of(PolicyKind.OPERATOR_POLICY, "o", "q", "all", 0, definition)
                .definition()
                .toMap())
        .isEqualTo(definition);
    assertThatThrownBy(
            () -> Policy.of(PolicyKind.OPERATOR_POLICY, "o", "q", "all", 0, Map.of("ha-params", 2)))
        .hasMessageStartingWith("ha-mode must be specified");
  }

  @Test
  void mergeOfMirroringKeysPrefersMoreMirrors() {
    Merge mode = PolicyKey.HA_MODE.withOperatorPolicy();
    assertThat(mode.prefersSecond("all", "exactly")).isFalse();
    assertThat(mode.prefersSecond("exactly", "all")).isTrue();
    assertThat(mode.prefersSecond("nodes", "exactly")).isTrue();
    Merge params = PolicyKey.HA_PARAMS.withOperatorPolicy();
    assertThat(params.prefersSecond(2L, 3L)).isTrue();
    assertThat(params.prefersSecond(3L, 2L)).isFalse();
    assertThat(params.prefersSecond(1L, List.of("a", "b"))).isFalse();
    assertThat(params.prefersSecond(List.of("a", "b"), 1L)).isTrue();
    assertThat(params.prefersSecond(List.of("a", "b"), List.of("c"))).isFalse();
    assertThat(PolicyKey.HA_SYNC_MODE.withOperatorPolicy().prefersSecond("manual", "automatic"))
        .isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("acceptedDefinitions")
  void validDefinitionsAreKeptUnchanged(Map<String, Object> definition) {
    assertThat(policy("q", definition).definition().toMap())
        .isEqualTo(withLongs(definition))
        .containsOnlyKeys(definition.keySet());
  }

  static Stream<Map<String, Object>> acceptedDefinitions() {
    return Stream.of(
        Map.of("message-ttl", 999_999_999_999_999L, "expires", 1, "max-length", 0),
        Map.of("message-ttl", BigInteger.TEN, "max-length-bytes", (short) 5),
        Map.of("dead-letter-routing-key", "k"),
        Map.of("dead-letter-exchange", "", "overflow", "reject-publish-dlx"),
        Map.of("message-ttl-retroactive", false),
        Map.of("ha-mode", "nodes", "ha-params", List.of("a", "b"), "ha-sync-mode", "manual"),
        Map.of("ha-mode", "exactly", "ha-params", 2, "ha-promote-on-failure", "always"),
        Map.of("queue-mode", "lazy", "queue-version", 2, "queue-master-locator", "min-masters"),
        Map.of("max-age", "5D", "delivery-limit", -1, "target-group-size", 3),
        Map.of("federation-upstream-set", "all", "consumer-timeout", 0),
        Map.of("delayed-retry-type", "all", "delayed-retry-min", 5, "delayed-retry-max", 5));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedTerms")
  void missingAndInvalidFieldsOfAPolicyAreNamed(Map<String, ?> term, String text) {
    assertThatThrownBy(() -> Policy.parse(PolicyKind.POLICY, "n", term))
        .isInstanceOf(PolicyException.class)
        .hasMessage(text);
  }

  static Stream<Arguments> refusedTerms() {
    return Stream.of(
        arguments(Map.of("definition", VALID), "Key \"pattern\" not found in n"),
        arguments(Map.of("pattern", "q"), "Key \"definition\" not found in n"),
        arguments(
            Map.of("pattern", "q", "definition", VALID, "foo", 1),
            "Unrecognised terms [{<<\"foo\">>,1}] in n"),
        arguments(
            Map.of("pattern", "q", "definition", VALID, "priority", "x"),
            "priority should be a number, actually was <<\"x\">>"),
        arguments(
            Map.of("pattern", "q", "definition", VALID, "priority", 1.5),
            "priority should be a whole number from -2147483648 to 2147483647,"
                + " actually was 1.5"),
        arguments(
            Map.of("pattern", "q", "definition", VALID, "priority", 1L << 40),
            "priority should be a whole number from -2147483648 to 2147483647,"
                + " actually was 1099511627776"),
        arguments(
            Map.of("pattern", 5, "definition", VALID), "pattern should be a binary but was 5"),
        arguments(
            Map.of("pattern", "(", "definition", VALID, "priority", "x"),
            "pattern should be regular expression but is invalid: {\"missing )\",1}\n"
                + "priority should be a number, actually was <<\"x\">>"),
        arguments(
            Map.of("pattern", "q", "definition", VALID, "apply-to", "foo"),
            "apply-to 'foo' unrecognised; should be one of: 'queues', 'classic_queues', "
                + " 'quorum_queues', 'streams', 'exchanges', or 'all'"),
        arguments(
            Map.of("pattern", "q", "definition", 5),
            "parse error while reading policy definition: 5. Validator: policy_validator."),
        arguments(
            Map.of("pattern", "x".repeat(1025), "definition", VALID),
            "pattern must not exceed 1024 bytes"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedPatterns")
  void invalidPatternIsRefusedWithThePositionOfTheError(String pattern, String reason) {
    assertThatThrownBy(() -> policy(pattern, VALID))
        .isInstanceOf(PolicyException.class)
        .hasMessage("pattern should be regular expression but is invalid: " + reason);
  }

  static Stream<Arguments> refusedPatterns() {
    return Stream.of(
        arguments("(", "{\"missing )\",1}"),
        arguments("[", "{\"missing terminating ] for character class\",1}"),
        arguments("*", "{\"nothing to repeat\",0}"),
        arguments("\\", "{\"\\\\ at end of pattern\",1}"));
  }

  @Test
  void policyErrorReportHasRabbitMqsTextFirst() {
    assertThatThrownBy(() -> policy("q", Map.of("expires", 0)))
        .isInstanceOfSatisfying(
            PolicyException.class,
            refused ->
                assertThat(refused.report())
                    .isEqualTo(
                        "Validation failed\n\n0 is not a valid queue expiry\n"
                            + "'expires' is 0: expected a whole number from 1 to"
                            + " 9223372036854775807\n"));
  }

  @Test
  void tooLargeNumbersAndTooLongNamesInPoliciesAreRefused() {
    assertThatThrownBy(() -> policy("q", Map.of("max-length", BigInteger.ONE.shiftLeft(63))))
        .hasMessage("9223372036854775808 is not a valid maximum length");
    assertThatThrownBy(() -> policy("q", Map.of("dead-letter-routing-key", "k".repeat(256))))
        .hasMessage("<<\"" + "k".repeat(256) + "\">> is not a valid dead letter routing key");
    assertThatThrownBy(() -> Policy.of(PolicyKind.POLICY, "n".repeat(256), "q", "all", 0, VALID))
        .hasMessage("policy name must not exceed 255 bytes");
  }

  @Test
  void policyIsReadBackFromItsOwnJson() {
    Policy policy =
        Policy.of(
            PolicyKind.POLICY,
            "p",
            "^a.*",
            "classic_queues",
            -7,
            Map.of("expires", 5, "ha-mode", "all"));

    Map<String, Object> document = policy.toMap("v");

    assertThat(document)
        .containsExactly(
            entry("vhost", "v"),
            entry("name", "p"),
            entry("pattern", "^a.*"),
            entry("apply-to", "classic_queues"),
            entry("definition", Map.of("expires", 5L, "ha-mode", "all")),
            entry("priority", -7));
    assertThat(Policy.parse(PolicyKind.POLICY, "p", document)).isEqualTo(policy);
  }

  @Test
  void policyKeysAreFoundByNameAndSortedByName() {
    List<String> names = Arrays.stream(PolicyKey.values()).map(PolicyKey::wireName).toList();
    assertThat(names).isSorted().doesNotHaveDuplicates();
    assertThat(PolicyKey.values())
        .allSatisfy(key -> assertThat(PolicyKey.ofWireName(key.wireName())).contains(key));
  }

  private static Policy policy(String pattern, Map<String, ?> definition) {
    return Policy.of(PolicyKind.POLICY, "n", pattern, "all", 0, definition);
  }

  private static Map<String, Object> nullAt(String key) {
    Map<String, Object> map = new HashMap<>();
    map.put(key, null);
    return map;
  }

  private static Map<String, Object> withLongs(Map<String, Object> map) {
    Map<String, Object> same = new HashMap<>(map);
    same.replaceAll((key, value) -> value instanceof Number n ? (Object) n.longValue() : value);
    return same;
  }
}
