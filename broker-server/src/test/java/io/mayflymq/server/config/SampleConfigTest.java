package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** config/mayfly.conf and the declared keys cannot drift apart. */
class SampleConfigTest {
  private static final Path SAMPLE = Path.of("../config/mayfly.conf");

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

  @Test
  void sampleConfigHasExactlyEveryKeyWithItsDefault() throws Exception {
    Map<String, String> expected = new TreeMap<>();
    Keys.ALL.forEach(key -> expected.putAll(key.defaults()));
    // The two keys without a default: all they can say is none.
    expected.put(Keys.NO_TCP_LISTENERS.name(), "none");
    expected.put(Keys.NO_LOOPBACK_USERS.name(), "none");
    assertThat(sampleSettings()).isEqualTo(expected);
    // Those without a default stand there as an example.
    Files.readAllLines(SAMPLE).stream()
        .filter(
            line ->
                line.matches(
                    "##   (default_policies|default_limits|default_users|defaults|.*\\.ciphers|tracing\\.otlp\\.headers"
                        + "|cluster_formation\\.classic_config\\.nodes|cluster_tags|node_tags|management\\.allowed_hosts)\\..*"))
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
