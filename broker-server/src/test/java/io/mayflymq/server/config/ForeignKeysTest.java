package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every key that RabbitMQ documents is known: it works, has no effect, or is refused. */
class ForeignKeysTest {
  /** RabbitMQ's keys, with a text of the operator's choice for each placeholder. */
  private static List<String> documented() throws IOException {
    return lines("rabbitmq-keys.txt").stream()
        .map(key -> key.replaceAll("\\$[a-z_]+", "1"))
        .toList();
  }

  private static List<String> lines(String resource) throws IOException {
    try (InputStream in = Keys.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }

  private static boolean isKnown(String key) {
    return Keys.find(Keys.current(key)).isPresent() || ForeignKeys.find(key, "a value").isPresent();
  }

  @Test
  void everyDocumentedKeyOfRabbitMqIsKnown() throws Exception {
    assertThat(documented()).hasSizeGreaterThan(1000).allMatch(ForeignKeysTest::isKnown);
  }

  @Test
  void everyLineOfTheCatalogIsAboutADocumentedKey() throws Exception {
    List<String> documented = documented();
    assertThat(lines("foreign-keys.txt"))
        .filteredOn(line -> !line.startsWith("["))
        .allSatisfy(
            line -> {
              String key = line.split(" = ", 2)[0];
              Pattern pattern = Pattern.compile(key.replace(".", "\\.").replace("*", ".*"));
              assertThat(documented).anyMatch(pattern.asMatchPredicate());
            });
  }

  @Test
  void unknownKeysAreNotInTheCatalog() {
    assertThat(ForeignKeys.find("heartbeet", "1")).isEmpty();
    assertThat(ForeignKeys.find("mqtt", "1")).isEmpty();
    assertThat(ForeignKeys.find("xmqtt.prefetch", "1")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt.listeners.tcp.default, 1883, false",
    "cluster_partition_handling, pause_minority, false",
    "cluster_formation.k8s.host, kubernetes.default, false",
    "auth_http.ssl_options.crl_check, true, true",
    "auth_http.ssl_options.crl_check, false, false",
    "trust_store.url, https://x, true",
    "trust_store.providers.1, file, false",
    "trust_store.providers.1, http, true",
    "ssl_options.depth, 2, false",
    "management.disable_basic_auth, true, true",
    "management.disable_basic_auth, false, false",
    "management.listener.ssl, true, true",
    "ssl_options.ciphers.1, ECDH-RSA-AES256-SHA384, false",
    "management.ssl.versions.1, tlsv1.1, false",
  })
  void whatWouldBeUnsafeToIgnoreIsRefused(String key, String value, boolean isRefused) {
    assertThat(ForeignKeys.find(key, value))
        .hasValueSatisfying(
            entry -> {
              assertThat(entry.isRefused()).isEqualTo(isRefused);
              assertThat(entry.reason()).isNotBlank().doesNotEndWith(".");
            });
  }
}
