package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.policy.OnMismatch.Verdict;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What values the key on-mismatch may have, and what they mean. */
class OnMismatchTest {
  private static OnMismatch of(Object value) {
    return OnMismatch.of(PolicyKey.ON_MISMATCH.check(value));
  }

  private static void assertRefused(Object value, String text, String expected) {
    assertThatThrownBy(() -> PolicyKey.ON_MISMATCH.check(value))
        .isInstanceOf(PolicyException.class)
        .hasMessage(text)
        .satisfies(
            error ->
                assertThat(String.join("\n", ((PolicyException) error).explanations()))
                    .contains(expected));
  }

  @Test
  void oneWordIsForAll() {
    assertThat(of("keep").on("x-queue-type")).isEqualTo(Verdict.KEEP);
    assertThat(of("adopt").on("x-message-ttl")).isEqualTo(Verdict.ADOPT);
    assertThat(of("refuse").on("x-message-ttl")).isEqualTo(Verdict.REFUSE);
    assertThat(OnMismatch.of(null).on("x-message-ttl")).isEqualTo(Verdict.REFUSE);
  }

  @Test
  void whatMakesAQueueWhatItIsIsNotAdopted() {
    for (String name : new String[] {"durable", "auto_delete", "exclusive", "x-queue-type"}) {
      assertThat(of("adopt").on(name)).isEqualTo(Verdict.REFUSE);
      assertRefused(
          Map.of(name, "adopt"),
          "<<\"" + name + "\">> of a queue cannot be adopted",
          "'" + name + "' makes a queue what it is: expected refuse or keep");
    }
    assertRefused(
        Map.of("x-single-active-consumer", "adopt"),
        "<<\"x-single-active-consumer\">> of a queue cannot be adopted",
        "expected refuse or keep");
  }

  @Test
  void configurationSaysItWherePoliciesDoNot() {
    Defaults defaults =
        new Defaults(
            Dialect.DEFAULT,
            Map.of(PolicyKey.ON_MISMATCH, "adopt"),
            true,
            true,
            1,
            Defaults.Compared.DEFAULT,
            Set.of(),
            Set.of());
    PolicyTable table =
        PolicyTable.of(defaults)
            .with(
                Policy.of(
                    PolicyKind.POLICY, "p", "^q$", "queues", 0, Map.of("on-mismatch", "keep")));
    assertThat(table.onMismatch(QueueType.CLASSIC, "other").on("x-message-ttl"))
        .isEqualTo(Verdict.ADOPT);
    assertThat(table.onMismatch(QueueType.CLASSIC, "q").on("x-message-ttl"))
        .isEqualTo(Verdict.KEEP);
  }

  @Test
  void tableNamesArgumentsAndAllOthers() {
    OnMismatch rules = of(Map.of("x-message-ttl", "adopt", "x-max-length", "keep", "*", "refuse"));

    assertThat(rules.on("x-message-ttl")).isEqualTo(Verdict.ADOPT);
    assertThat(rules.on("x-max-length")).isEqualTo(Verdict.KEEP);
    assertThat(rules.on("x-expires")).isEqualTo(Verdict.REFUSE);
    assertThat(of(Map.of("x-max-priority", "keep")).on("x-max-priority")).isEqualTo(Verdict.KEEP);
  }

  @Test
  void formerNamesOfArgumentsAreThoseOfToday() {
    assertThat(PolicyKey.ON_MISMATCH.check(Map.of("x-on-expire", "adopt")))
        .isEqualTo(Map.of("x-expires-action", "adopt"));
    assertThat(of(Map.of("x-expires-action", "keep")).on("x-on-expire")).isEqualTo(Verdict.KEEP);
  }

  @Test
  void invalidValuesAreNamed() {
    assertRefused(
        "adpot", "<<\"adpot\">> is not a valid on-mismatch value", "did you mean 'adopt'?");
    assertRefused(1, "1 is not a valid on-mismatch value", "expected refuse, keep or adopt");
    assertRefused(
        Map.of(), "#{} is not a valid on-mismatch value", "expected at least one argument");
    assertRefused(
        Map.of("x-message-ttl", true),
        "true is not a valid on-mismatch value",
        "expected refuse, keep or adopt");
    assertRefused(
        Map.of("x-mesage-ttl", "keep"),
        "<<\"x-mesage-ttl\">> is not an argument that declarations of queues are compared by",
        "did you mean 'x-message-ttl'?");
  }
}
