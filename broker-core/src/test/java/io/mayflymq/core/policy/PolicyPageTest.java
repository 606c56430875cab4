package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page about policies has the table of {@link PolicyKey}. */
class PolicyPageTest {
  private static final ReferencePage PAGE = new ReferencePage("docs/policies.md");
  private static final List<PolicyKey> KEYS = List.of(PolicyKey.values());

  private static String row(PolicyKey key) {
    return "| `%s` | %s | %s | %s | %s | %s |"
        .formatted(
            key.wireName(),
            key.doc(),
            key.byDefault() == null ? "" : "`" + key.byDefault() + "`",
            objects(key),
            withOperator(key),
            withArgument(key));
  }

  private static boolean isOfBoth(PolicyKey key) {
    return key.concerns(PolicySubject.queue(QueueType.CLASSIC, ""))
        && key.concerns(PolicySubject.exchange(""));
  }

  private static String objects(PolicyKey key) {
    if (isOfBoth(key)) {
      return "queues, exchanges";
    }
    return key.concerns(PolicySubject.queue(QueueType.CLASSIC, ""))
        ? Arrays.stream(QueueType.values())
            .filter(key::isSupportedBy)
            .map(type -> type.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "))
        : "exchanges";
  }

  private static String withOperator(PolicyKey key) {
    return key.isAllowedIn(PolicyKind.OPERATOR_POLICY)
        ? winner(key.withOperatorPolicy(), "the operator's")
        : "";
  }

  private static String withArgument(PolicyKey key) {
    if (!key.isByArgument()) {
      return "";
    }
    if (objects(key).equals("exchanges")) {
      return "the argument's: `%s`".formatted(key.argument());
    }
    Merge classic = key.withArgument(PolicySubject.queue(QueueType.CLASSIC, ""));
    Merge quorum = key.withArgument(PolicySubject.queue(QueueType.QUORUM, ""));
    return winner(classic, "the argument's")
        + (classic == quorum ? "" : " (quorum queues: the policy's)")
        + (key.argument().equals("x-" + key.wireName()) ? "" : ": `" + key.argument() + "`");
  }

  private static String winner(Merge merge, String second) {
    return switch (merge) {
      case LOWEST -> "the lower";
      case HIGHEST -> "the higher";
      case LOWEST_LIMIT -> "the lower limit";
      case MORE_MIRRORS -> "the one with more mirrors";
      case BOTH_PAUSES -> "what either pauses";
      case FIRST -> "the policy's";
      case SECOND -> second;
    };
  }

  private static String table(
      String head, Predicate<PolicyKey> which, Function<PolicyKey, String> row) {
    return head
        + "\n"
        + "|---".repeat(head.split("\\|").length - 1)
        + "|\n"
        + KEYS.stream().filter(which).map(row).collect(Collectors.joining("\n"));
  }

  @Test
  void pageHasTheKeysWithAnEffect() throws IOException {
    assertThat(KEYS).allSatisfy(key -> assertThat(key.doc().isEmpty()).isEqualTo(!key.hasEffect()));
    PAGE.check(
        "keys with an effect",
        table(
            "| key | value | default | for | with an operator policy | with the argument |",
            PolicyKey::hasEffect,
            PolicyPageTest::row));
  }

  @Test
  void pageHasTheKeysWithoutEffect() throws IOException {
    PAGE.check(
        "keys without effect",
        table(
            "| key | for | with an operator policy |",
            key -> !key.hasEffect(),
            key ->
                "| `%s` | %s | %s |".formatted(key.wireName(), objects(key), withOperator(key))));
  }
}
