package io.mayflymq.it.shovel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a passphrase, the data directory has no passwords of other brokers. */
@OwnBroker
class ParameterSecretsIT {
  private static final String SECRET = "quite-unguessable";
  private static final String ADDRESS = "amqp://there:" + SECRET + "@127.0.0.1:1";
  private static final String SHOVEL = "parameters/shovel/%2F/s";
  private static final String UPSTREAM = "parameters/federation-upstream/%2F/u";

  @TempDir Path data;

  private EmbeddedBroker start(String passphrase) {
    EmbeddedBroker.Builder builder = EmbeddedBroker.builder().data(data);
    if (passphrase != null) {
      builder.set("config_entry_decoder.passphrase", passphrase);
    }
    return builder.start();
  }

  private static Http http(EmbeddedBroker broker) {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private static void set(EmbeddedBroker broker) throws Exception {
    assertThat(
            http(broker)
                .put(
                    SHOVEL,
                    "{\"value\":{\"src-uri\":\"%s\",\"src-queue\":\"q\",\"dest-uri\":\"amqp://\"}}"
                        .formatted(ADDRESS))
                .status())
        .isEqualTo(201);
    assertThat(
            http(broker).put(UPSTREAM, "{\"value\":{\"uri\":\"%s\"}}".formatted(ADDRESS)).status())
        .isEqualTo(201);
  }

  private static String uri(EmbeddedBroker broker, String path, String key) throws Exception {
    return http(broker).get(path).json().at("/value/" + key).asText();
  }

  private List<Path> filesWithTheSecret() throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return files
          .filter(Files::isRegularFile)
          .filter(
              file -> {
                try {
                  return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                      .contains(SECRET);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              })
          .toList();
    }
  }

  @Test
  void passwordsAreNotInTheDataDirectoryAndAreThereAfterARestart() throws Exception {
    try (EmbeddedBroker broker = start("first")) {
      set(broker);
      assertThat(uri(broker, SHOVEL, "src-uri")).isEqualTo(ADDRESS);
    }
    assertThat(filesWithTheSecret()).isEmpty();
    try (EmbeddedBroker broker = start("first")) {
      assertThat(uri(broker, SHOVEL, "src-uri")).isEqualTo(ADDRESS);
      assertThat(uri(broker, UPSTREAM, "uri")).isEqualTo(ADDRESS);
      assertThat(http(broker).get("definitions").raw().body()).contains(ADDRESS);
      await()
          .until(
              () -> http(broker).get("shovels").raw().body().contains("\"state\":\"terminated\""));
    }
  }

  @Test
  void withoutPassphraseTheyAreInClearAndEncryptedAtTheFirstStartWithOne() throws Exception {
    try (EmbeddedBroker broker = start(null)) {
      set(broker);
    }
    assertThat(filesWithTheSecret()).isNotEmpty();
    try (EmbeddedBroker broker = start("first")) {
      broker.awaitLine("encrypted 2 parameters that were kept in clear");
      assertThat(uri(broker, SHOVEL, "src-uri")).isEqualTo(ADDRESS);
    }
    try (EmbeddedBroker broker = start("first")) {
      assertThat(uri(broker, UPSTREAM, "uri")).isEqualTo(ADDRESS);
      assertThat(broker.output()).noneMatch(line -> line.contains("kept in clear"));
    }
  }

  @Test
  void withAnotherPassphraseTheyHaveNoEffectUntilTheyAreSetAnew() throws Exception {
    try (EmbeddedBroker broker = start("first")) {
      set(broker);
    }
    try (EmbeddedBroker broker = start("second")) {
      broker.awaitLine(
          "parameter 's' of component 'shovel' in vhost '/' has no effect: it was encrypted by"
              + " another passphrase; expected config_entry_decoder.passphrase or"
              + " config_entry_decoder.passphrase_file, or that it is set anew");
      broker.awaitLine(
          "shovel 's' in vhost '/' does not run: the value of s is encrypted by another"
              + " passphrase than there is");
      assertThat(http(broker).get(SHOVEL).json().at("/value").asText()).startsWith("encrypted:");
      assertThat(http(broker).delete(SHOVEL).status()).isEqualTo(204);
      assertThat(
              http(broker)
                  .put(UPSTREAM, "{\"value\":{\"uri\":\"%s\"}}".formatted(ADDRESS))
                  .status())
          .isEqualTo(204);
      assertThat(uri(broker, UPSTREAM, "uri")).isEqualTo(ADDRESS);
    }
  }
}
