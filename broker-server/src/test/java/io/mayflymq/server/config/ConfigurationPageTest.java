package io.mayflymq.server.config;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page about the configuration has the table of {@link Keys}. */
class ConfigurationPageTest {
  private static final ReferencePage PAGE = new ReferencePage("docs/configuration.md");

  private static String table(Section section) {
    return section.keys().stream()
        .map(ConfigurationPageTest::row)
        .collect(
            Collectors.joining(
                "\n",
                "| key, environment variable | value | default | meaning |\n|---|---|---|---|\n",
                ""));
  }

  private static String row(Key<?> key) {
    return "| `%s`<br>`%s` | %s | %s | %s |"
        .formatted(
            key.name(),
            Keys.environmentName(key.name()),
            key.type().expected(),
            defaults(key),
            key.doc());
  }

  private static String defaults(Key<?> key) {
    Map<String, String> defaults = new TreeMap<>(key.defaults());
    return defaults.entrySet().stream()
        .map(
            each ->
                key instanceof Setting ? each.getValue() : each.getKey() + " = " + each.getValue())
        .map(text -> "`" + text + "`")
        .collect(Collectors.joining("<br>"));
  }

  @Test
  void pageHasEveryKey() throws IOException {
    for (Section section : Keys.SECTIONS) {
      PAGE.check(section.title(), table(section));
    }
  }
}
