package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.security.NamePattern;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultPolicyKeysTest {
  private static final String PREFIX = "default_policies.operator.";

  @Test
  void noDefaultPoliciesUnlessConfigured() throws Exception {
    assertThat(policies()).isEmpty();
  }

  @Test
  void defaultPolicyKeysOfTheSameNameMakeOnePolicy() throws Exception {
    assertThat(
            policies(
                "b.max_length_bytes=1GB",
                "b.message_ttl=0",
                "a.vhost_pattern=^t",
                "a.queue_pattern=^q",
                "a.apply_to=classic_queues",
                "a.expires=86400000",
                "a.max_length=5",
                "a.delivery_limit=2"))
        .containsExactly(
            new DefaultPolicy(
                NamePattern.of("^t"),
                operators(
                    "a",
                    "^q",
                    "classic_queues",
                    Map.of("expires", 86_400_000, "max-length", 5, "delivery-limit", 2))),
            new DefaultPolicy(
                NamePattern.of(".*"),
                operators(
                    "b",
                    ".*",
                    "queues",
                    Map.of("max-length-bytes", 1_000_000_000, "message-ttl", 0))));
  }

  @Test
  void environmentCanSetDefaultPolicies() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of("MAYFLY_DEFAULT_POLICIES_OPERATOR_A_MAX_LENGTH", "5"),
            List.of());
    assertThat(configuration.warnings()).isEmpty();
    assertThat(configuration.settings().defaults().ofVhosts().policies())
        .extracting(DefaultPolicy::policy)
        .containsExactly(operators("a", ".*", "queues", Map.of("max-length", 5)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a.vhost_pattern=x | --set: default_policies.operator.a: nothing is set: expected one of expires,"
            + " message_ttl, max_length, max_length_bytes, delivery_limit",
        "a.expires=0 | --set: bad value '0' for key 'default_policies.operator.a.expires': expected"
            + " a whole number of milliseconds from 1, of 18 digits at most",
        "a.max_length=x | --set: bad value 'x' for key 'default_policies.operator.a.max_length':"
            + " expected a whole number of messages from 0, of 18 digits at most",
      })
  void invalidDefaultPolicyIsRefusedWithItsReason(String set, String message) {
    assertThatThrownBy(() -> policies(set)).isInstanceOf(ConfigException.class).hasMessage(message);
  }

  @Test
  void defaultPolicyWithATooLongPatternIsRefused() {
    String tooLong = "q".repeat(1025);
    assertThatThrownBy(() -> policies("a.max_length=1", "a.queue_pattern=" + tooLong))
        .isInstanceOf(ConfigException.class)
        .hasMessage("--set: default_policies.operator.a: pattern must not exceed 1024 bytes");
  }

  @Test
  void everyDefaultPolicyThatIsWrongIsReported() {
    assertThatThrownBy(() -> policies("a.vhost_pattern=x", "b.max_length=1", "c.apply_to=all"))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.errors())
                    .satisfiesExactly(
                        line -> assertThat(line).startsWith("--set: default_policies.operator.a:"),
                        line ->
                            assertThat(line).startsWith("--set: default_policies.operator.c:")));
  }

  @Test
  void unknownPropertyOfADefaultPolicyIsRefused() {
    assertThatThrownBy(() -> policies("a.max_lenght=1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("unknown key 'default_policies.operator.a.max_lenght'");
  }

  private static Policy operators(
      String name, String pattern, String applyTo, Map<String, Object> definition) {
    return Policy.of(PolicyKind.OPERATOR_POLICY, name, pattern, applyTo, 0, definition);
  }

  private static List<DefaultPolicy> policies(String... sets) throws ConfigException {
    List<String> full = List.of(sets).stream().map(set -> PREFIX + set).toList();
    return Configuration.load(Optional.empty(), Map.of(), full)
        .settings()
        .defaults()
        .ofVhosts()
        .policies();
  }
}
