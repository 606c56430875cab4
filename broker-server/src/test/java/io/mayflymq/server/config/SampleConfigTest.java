package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** config/mayfly.conf and the declared keys cannot drift apart. */
class SampleConfigTest {
  private static final Path SAMPLE = Path.of("../config/mayfly.conf");
  private static final int WIDTH = 100;

  /** The sample's settings: what one gets by taking the "# " off. */
  private static Map<String, String> sampleSettings() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    for (String line : Files.readAllLines(SAMPLE)) {
      if (line.startsWith("# ")) {
        String[] parts = line.substring(2).split(" = ", 2);
        assertThat(settings.put(parts[0], parts[1])).as("a second line for %s", parts[0]).isNull();
      }
    }
    return settings;
  }

  /** One key: what it does, what it may be, and a line that sets it. */
  private static String entry(Key<?> key) {
    String text = key.plainDoc() + " Value: " + key.type().expected() + ".";
    StringBuilder entry = new StringBuilder();
    StringBuilder line = new StringBuilder("##");
    for (String word : text.split(" ")) {
      if (line.length() + word.length() >= WIDTH) {
        entry.append(line).append('\n');
        line = new StringBuilder("##");
      }
      line.append(' ').append(word);
    }
    entry.append(line).append('\n');
    if (key.defaults().isEmpty()) {
      boolean single = key instanceof Setting; // all it can say is its one word
      entry.append(
          single
              ? "# %s = %s\n".formatted(key.name(), key.type().expected())
              : "##   %s = ...\n".formatted(key.name()));
    }
    new TreeMap<>(key.defaults())
        .forEach((name, value) -> entry.append("# %s = %s\n".formatted(name, value)));
    return entry.toString();
  }

  private static String section(Section section) {
    String head = "## " + section.title() + " ";
    return section.keys().stream()
        .map(SampleConfigTest::entry)
        .collect(
            Collectors.joining("\n", head + "-".repeat(WIDTH - 2 - head.length()) + "\n\n", ""));
  }

  @Test
  void sampleConfigIsWrittenFromTheKeys() throws IOException {
    new ReferencePage("config/mayfly.conf")
        .checkBehind(
            "## Keys that only RabbitMQ has are accepted with a warning, or refused if ignoring them"
                + " would be unsafe.",
            Keys.SECTIONS.stream()
                .map(SampleConfigTest::section)
                .collect(Collectors.joining("\n")));
  }

  @Test
  void sampleConfigHasExactlyEveryKeyWithItsDefault() throws Exception {
    Map<String, String> expected = new TreeMap<>();
    Keys.ALL.forEach(key -> expected.putAll(key.defaults()));
    // The two keys without a default: all they can say is none.
    expected.put(TcpSettings.NO_TCP_LISTENERS.name(), "none");
    expected.put(AuthSettings.NO_LOOPBACK_USERS.name(), "none");
    assertThat(sampleSettings()).isEqualTo(expected);
    // Those without a default stand there with what they expect.
    Files.readAllLines(SAMPLE).stream()
        .filter(line -> line.matches("##   [a-z0-9_.$]+ = \\.{3}"))
        .forEach(line -> expected.put(line.substring(5).split(" = ", 2)[0], "an example"));
    assertThat(Keys.ALL).allSatisfy(key -> assertThat(expected.keySet()).anyMatch(key::matches));
  }

  @Test
  void unchangedSampleConfigChangesNoSetting() throws Exception {
    Configuration sample = Configuration.load(Optional.of(SAMPLE), Map.of(), List.of());
    Configuration nothing = Configuration.load(Optional.empty(), Map.of(), List.of());
    assertThat(sample.settings()).isEqualTo(nothing.settings());
  }

  @Test
  void everyDefaultIsAValidValue(@TempDir Path directory) throws Exception {
    StringBuilder uncommented = new StringBuilder();
    sampleSettings()
        .forEach(
            (key, value) -> {
              if (!value.equals("none")) {
                uncommented.append(key).append(" = ").append(value).append('\n');
              }
            });
    Path file = Files.writeString(directory.resolve("all.conf"), uncommented);
    Configuration all = Configuration.load(Optional.of(file), Map.of(), List.of());
    Configuration nothing = Configuration.load(Optional.empty(), Map.of(), List.of());
    assertThat(all.settings()).isEqualTo(nothing.settings());
  }

  @Test
  void everyKeyHasItsOwnEnvironmentVariable() {
    assertThat(Keys.ALL)
        .filteredOn(key -> key instanceof Setting<?>)
        .allSatisfy(
            key ->
                assertThat(Keys.ofEnvironmentVariable(Keys.environmentName(key.name())))
                    .contains(key.name()));
  }
}
