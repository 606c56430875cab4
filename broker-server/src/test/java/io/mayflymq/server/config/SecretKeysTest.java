package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which keys have secrets, and that nothing shows their values. */
class SecretKeysTest {
  private static final String VALUE = "hunter2";

  @TempDir Path directory;

  private static Stream<String> secretKeys() {
    return Keys.ALL.stream()
        .filter(Key::isSecret)
        .map(key -> key.name().replaceAll("\\$[a-z]+", "authorization"));
  }

  private Configuration load(String line) throws Exception {
    Path file = Files.writeString(directory.resolve("mayfly.conf"), line);
    return Configuration.load(Optional.of(file), Map.of(), List.of());
  }

  /** Whoever adds a key decides here whether it is a secret. */
  @Test
  void theseKeysHaveSecrets() {
    assertThat(Keys.ALL)
        .filteredOn(Key::isSecret)
        .extracting(Key::name)
        .containsExactlyInAnyOrder(
            "anonymous_login_pass",
            "auth_http.ssl_options.password",
            "auth_ldap.dn_lookup_bind.password",
            "auth_ldap.other_bind.password",
            "auth_ldap.ssl_options.password",
            "auth_oauth2.https.password",
            "cluster.secret",
            "cluster.ssl.password",
            "config_entry_decoder.passphrase",
            "default_pass",
            "default_users.$name.password",
            "management.oauth_client_secret",
            "management.ssl.password",
            "prometheus.ssl.password",
            "ssl_options.password",
            "standby.primary.ssl_options.password",
            "standby.primary.uri",
            "standby.primary.uris.$n",
            "tracing.otlp.headers.$name");
  }

  @Test
  void keysThatSoundLikeSecretsAreSecretsButForThese() {
    assertThat(Keys.ALL)
        .filteredOn(key -> key.name().matches(".*(pass|secret|token|credential|header).*"))
        .filteredOn(key -> !key.isSecret())
        .extracting(Key::name)
        .containsExactlyInAnyOrder(
            "auth_oauth2.token_endpoint",
            "management.oauth_token_endpoint_params.$name",
            "credential_validator.validation_backend",
            "credential_validator.min_length",
            "credential_validator.regexp",
            "config_entry_decoder.passphrase_file",
            "cluster.secret_file",
            "cluster.require_strong_secret",
            "message_interceptors.incoming.set_header_timestamp.overwrite",
            "message_interceptors.incoming.set_header_routing_node.overwrite");
  }

  @ParameterizedTest
  @MethodSource("secretKeys")
  void valueOfASecretKeyIsNotAmongTheEffectiveOnes(String key) throws Exception {
    String value =
        key.startsWith("standby.primary.uri") ? "http://user:" + VALUE + "@host:15672" : VALUE;
    assertThat(load(key + " = " + value).effective())
        .filteredOn(setting -> setting.key().equals(key))
        .singleElement()
        .extracting(EffectiveSetting::value)
        .isEqualTo("(not shown)");
  }

  @ParameterizedTest
  @MethodSource("secretKeys")
  void valueOfASecretKeyIsNotInAnError(String key) {
    for (String bad : List.of("%s = '%s", "%s %s", "%s: %s", "%s = %s\n%1$s =", "x%s = %s")) {
      assertThatThrownBy(() -> load(bad.formatted(key, VALUE)))
          .isInstanceOf(ConfigException.class)
          .hasMessageNotContaining(VALUE);
    }
    assertThatThrownBy(
            () -> Configuration.load(Optional.empty(), Map.of(), List.of(key + ":" + VALUE)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("--set: expected KEY=VALUE, found '%s' and a value (not shown)", key);
  }
}
