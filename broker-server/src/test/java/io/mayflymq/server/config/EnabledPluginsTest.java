package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that lists RabbitMQ's plugins tells which of them are missing. */
class EnabledPluginsTest {
  @TempDir Path directory;

  private List<String> warnings(String content) throws IOException {
    return EnabledPlugins.warnings(Files.writeString(file(), content));
  }

  private Path file() {
    return directory.resolve("enabled_plugins");
  }

  @Test
  void whatIsBuiltInNeedsNoWords() throws Exception {
    assertThat(warnings("[rabbitmq_peer_discovery_k8s,rabbitmq_prometheus,rabbitmq_management]."))
        .isEmpty();
    assertThat(warnings("% by hand\n[ 'rabbitmq_shovel',\n  rabbitmq_federation ] .\n")).isEmpty();
    assertThat(warnings("[].")).isEmpty();
  }

  @Test
  void missingPluginsAreNamed() throws Exception {
    assertThat(warnings("[rabbitmq_mqtt,rabbitmq_management,rabbitmq_stream]."))
        .containsExactly(
            "RABBITMQ_ENABLED_PLUGINS_FILE: %s: MayflyMQ has no plugin rabbitmq_mqtt"
                .formatted(file()),
            "RABBITMQ_ENABLED_PLUGINS_FILE: %s: MayflyMQ has no plugin rabbitmq_stream"
                .formatted(file()));
  }

  @Test
  void aFileThatIsNoListIsNamed() throws Exception {
    for (String content : List.of("rabbitmq_management", "[rabbitmq_management]", "", "[{a}].")) {
      assertThat(warnings(content))
          .containsExactly(
              "RABBITMQ_ENABLED_PLUGINS_FILE: %s: expected a list of plugins such as [rabbitmq_management,rabbitmq_prometheus]."
                  .formatted(file()));
    }
    assertThat(EnabledPlugins.warnings(file().resolveSibling("none"))).isEmpty();
    assertThat(EnabledPlugins.warnings(directory).get(0)).contains(directory + " cannot be read");
  }

  @Test
  void theEnvironmentNamesTheFile() throws Exception {
    Files.writeString(file(), "[rabbitmq_mqtt].");
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of("RABBITMQ_ENABLED_PLUGINS_FILE", file().toString()),
            List.of());
    assertThat(configuration.warnings())
        .singleElement()
        .asString()
        .endsWith("MayflyMQ has no plugin rabbitmq_mqtt");
  }
}
