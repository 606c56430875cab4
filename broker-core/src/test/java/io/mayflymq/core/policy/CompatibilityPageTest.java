package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Users find RabbitMQ's arguments and policy keys in the page about compatibility. */
class CompatibilityPageTest {
  private static final Path PAGE = Path.of("..", "docs", "compatibility.md");

  /** The names in the first column of a section's table. */
  private static Set<String> listed(String section) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("\n## " + section + "\n");
    assertThat(start).as("there is a section '%s'", section).isNotNegative();
    List<String> rows =
        page.substring(start + 1, page.indexOf("\n## ", start + 1))
            .lines()
            .filter(line -> line.startsWith("| `"))
            .toList();
    Set<String> names = new TreeSet<>();
    for (String row : rows) {
      Matcher name = Pattern.compile("`([^`]+)`").matcher(row.split("\\|", -1)[1]);
      while (name.find()) {
        names.add(name.group(1));
      }
    }
    return names;
  }

  @Test
  void everyPolicyKeyIsOnThePage() throws IOException {
    List<PolicyKey> keys = List.of(PolicyKey.values());
    assertThat(listed("Policy keys"))
        .containsAll(
            keys.stream().filter(key -> !key.isExtension()).map(PolicyKey::wireName).toList())
        .isSubsetOf(keys.stream().map(PolicyKey::wireName).toList());
  }

  @Test
  void everyQueueArgumentIsOnThePage() throws IOException {
    Set<String> known = new TreeSet<>();
    Arrays.stream(QueueType.values()).forEach(type -> known.addAll(type.arguments()));
    assertThat(listed("Arguments of queues"))
        .containsAll(known)
        .contains(
            QueueArguments.CONSUMER_TIMEOUT,
            PolicyKey.MESSAGE_TTL_RETROACTIVE.argument(),
            "x-stream-filter-size-bytes");
  }
}
