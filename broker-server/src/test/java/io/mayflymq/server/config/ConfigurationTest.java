package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sources, their precedence, and the error lines for the operator. */
class ConfigurationTest {
  @TempDir Path directory;

  private Path file(String content) throws IOException {
    return Files.writeString(directory.resolve("mayfly.conf"), content);
  }

  private static Configuration sets(String... sets) throws ConfigException {
    return Configuration.load(Optional.empty(), Map.of(), List.of(sets));
  }

  private static void assertRefused(String set, String message) {
    assertThatThrownBy(() -> sets(set)).isInstanceOf(ConfigException.class).hasMessage(message);
  }

  @Test
  void laterConfigurationSourcesOverrideEarlierOnes() throws Exception {
    Path file = file("heartbeat = 1\nframe_max = 5001\nchannel_max = 1001");
    Map<String, String> environment =
        Map.of("MAYFLY_HEARTBEAT", "2", "MAYFLY_FRAME_MAX", "5002", "HOME", "/root");
    Configuration configuration =
        Configuration.load(Optional.of(file), environment, List.of("heartbeat=3"));
    assertThat(configuration.settings().protocol().heartbeatSeconds()).isEqualTo(3);
    assertThat(configuration.settings().protocol().frameMax()).isEqualTo(5002);
    assertThat(configuration.settings().protocol().channelMax()).isEqualTo(1001);
    assertThat(configuration.settings().protocol().initialFrameMax()).isEqualTo(8192);
    assertThat(configuration.warnings()).isEmpty();
  }

  @Test
  void lastValueOfOneConfigurationSourceApplies() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.of(file("heartbeat = 1\nheartbeat = 2")),
            Map.of(),
            List.of("channel_max=5", "channel_max=6"));
    assertThat(configuration.settings().protocol().heartbeatSeconds()).isEqualTo(2);
    assertThat(configuration.settings().protocol().channelMax()).isEqualTo(6);
  }

  @Test
  void environmentNamesTheConfigFileIfTheCommandLineDoesNot() throws Exception {
    String named = file("heartbeat = 7").toString();
    Map<String, String> environment = Map.of("MAYFLY_CONFIG_FILE", named);
    Configuration byEnvironment = Configuration.load(Optional.empty(), environment, List.of());
    assertThat(byEnvironment.settings().protocol().heartbeatSeconds()).isEqualTo(7);
    Path other = Files.writeString(directory.resolve("other.conf"), "heartbeat = 8");
    Configuration byOption = Configuration.load(Optional.of(other), environment, List.of());
    assertThat(byOption.settings().protocol().heartbeatSeconds()).isEqualTo(8);
  }

  @Test
  void variablesOfRabbitMqSetTheFirstUserUnlessOursDo() throws Exception {
    Map<String, String> environment =
        Map.of(
            "RABBITMQ_DEFAULT_USER", "ann",
            "RABBITMQ_DEFAULT_PASS", "secret",
            "RABBITMQ_DEFAULT_VHOST", "",
            "MAYFLY_DEFAULT_PASS", "better",
            "RABBITMQ_SERVICE_HOST", "10.0.0.1");
    Configuration configuration =
        Configuration.load(Optional.of(file("default_user = bob")), environment, List.of());
    DefaultsSettings defaults = configuration.settings().defaults();
    assertThat(defaults.user()).isEqualTo("ann");
    assertThat(defaults.password()).isEqualTo("better");
    assertThat(defaults.vhost()).isEqualTo("/");
    assertThat(configuration.warnings()).isEmpty();
  }

  @Test
  void filesOfRabbitMqThatAreNotReadAreNamed() throws Exception {
    Path advanced = Files.writeString(directory.resolve("advanced.config"), "[].");
    Path file = file("heartbeat = 7");
    assertThat(Configuration.load(Optional.of(file), Map.of(), List.of()).warnings())
        .containsExactly(advanced + " is not read: set its keys in a *.conf file");
  }

  @Test
  void environmentVariablesCanSetKeysOfFamilies() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of(
                "MAYFLY_LISTENERS_TCP_DEFAULT", "127.0.0.1:0", "MAYFLY_LOOPBACK_USERS_ANN", "true"),
            List.of());
    assertThat(configuration.settings().listeners())
        .containsExactly(new ListenerSettings("default", "127.0.0.1", 0));
    assertThat(configuration.settings().auth().loopbackUsers()).containsExactly("ann");
  }

  @Test
  void emptyVariablesAreIgnoredAndUnknownOnesCauseAWarning() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of(
                "MAYFLY_HEARTBEAT", "", "MAYFLY_PORT", "tcp://10.0.0.1:5672", "MAYFLY_HOME", "/"),
            List.of());
    assertThat(configuration.settings().protocol().heartbeatSeconds()).isEqualTo(60);
    assertThat(configuration.warnings())
        .containsExactly("environment variable MAYFLY_PORT is ignored: it names no key");
  }

  @Test
  void keysOfEarlierVersionsAreAcceptedWithAWarning() throws Exception {
    Path file = file("dead-letter.enabled = false\n");
    Configuration configuration =
        Configuration.load(
            Optional.of(file),
            Map.of("MAYFLY_TTL_MINIMUM_QUEUE_TTL_MS", "250"),
            List.of("dead-letter.enabled=false"));
    assertThat(configuration.settings().defaults().objects().deadLettering()).isFalse();
    assertThat(configuration.settings().defaults().objects().leastExpiresMillis()).isEqualTo(250);
    assertThat(configuration.warnings())
        .containsExactly(
            file + ":1: key 'dead-letter.enabled' is now called 'dead_letter.enabled'",
            "environment variable MAYFLY_TTL_MINIMUM_QUEUE_TTL_MS: key 'ttl.minimum_queue_ttl_ms' is now called"
                + " 'queue_expires.minimum'",
            "--set: key 'dead-letter.enabled' is now called 'dead_letter.enabled'");
    assertThat(
            configuration
                .with("dead-letter.enabled", "true")
                .settings()
                .defaults()
                .objects()
                .deadLettering())
        .isTrue();
  }

  @Test
  void configurationErrorNamesFileAndLine() throws Exception {
    Path file = file("# first\nheartbeat = ten\n");
    assertThatThrownBy(() -> Configuration.load(Optional.of(file), Map.of(), List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            file
                + ":2: bad value 'ten' for key 'heartbeat':"
                + " expected a whole number of seconds from 0 to 65535");
  }

  @Test
  void configurationErrorNamesTheEnvironmentVariable() {
    Map<String, String> environment = Map.of("MAYFLY_LOG_CONSOLE_LEVEL", "loud");
    assertThatThrownBy(() -> Configuration.load(Optional.empty(), environment, List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "environment variable MAYFLY_LOG_CONSOLE_LEVEL: bad value 'loud' for key"
                + " 'log.console.level': expected debug, info, notice, warning, error, critical,"
                + " alert, emergency or none");
  }

  @Test
  void overriddenInvalidValueIsReported() throws Exception {
    Path file = file("heartbeat = ten");
    assertThatThrownBy(
            () -> Configuration.load(Optional.of(file), Map.of(), List.of("heartbeat=10")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(":1: bad value 'ten'");
  }

  @Test
  void errorAboutAnUnknownKeySuggestsTheNearestKey() {
    assertRefused(
        "hearbeat=60",
        "--set: unknown key 'hearbeat' (value '60'):"
            + " expected a key of MayflyMQ; did you mean 'heartbeat'?");
    assertRefused(
        "listener.tcp.internal=1",
        "--set: unknown key 'listener.tcp.internal' (value '1'):"
            + " expected a key of MayflyMQ; did you mean 'listeners.tcp.internal'?");
    assertRefused(
        "clouds.of_mayflies=many",
        "--set: unknown key 'clouds.of_mayflies' (value 'many'):"
            + " expected a key of MayflyMQ; config/mayfly.conf lists them all");
  }

  @Test
  void allErrorsOfAConfigurationAreReportedAtOnce() throws Exception {
    Path file = file("heartbeat = ten\nthis is no setting\nframe_max = 5000\nhearbeat = 3\n");
    Files.createDirectory(directory.resolve("conf.d"));
    Path part = Files.writeString(directory.resolve("conf.d/10.conf"), "\nchannel_max = -1");
    assertThatThrownBy(
            () ->
                Configuration.load(
                    Optional.of(file),
                    Map.of("MAYFLY_SHARDS", "0"),
                    List.of("nonsense", "log.console=yes")))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.errors())
                    .satisfiesExactly(
                        line -> assertThat(line).startsWith(file + ":2: expected 'key = value'"),
                        line -> assertThat(line).startsWith(file + ":1: bad value 'ten'"),
                        line -> assertThat(line).startsWith(file + ":4: unknown key 'hearbeat'"),
                        line -> assertThat(line).startsWith(part + ":2: bad value '-1'"),
                        line -> assertThat(line).startsWith("environment variable MAYFLY_SHARDS: "),
                        line -> assertThat(line).startsWith("--set: expected KEY=VALUE"),
                        line -> assertThat(line).startsWith("--set: bad value 'yes'")));
  }

  @Test
  void filesOfConfDOverrideTheMainFileInTheOrderOfTheirNames() throws Exception {
    Path file = file("heartbeat = 1\nchannel_max = 1\nframe_max = 5001");
    Path parts = Files.createDirectory(directory.resolve("conf.d"));
    Path second = Files.writeString(parts.resolve("20-b.conf"), "heartbeat = 3");
    Path first = Files.writeString(parts.resolve("10-a.conf"), "heartbeat = 2\nchannel_max = 2");
    Files.writeString(parts.resolve("30-c.conf.disabled"), "heartbeat = 4");
    Configuration configuration = Configuration.load(Optional.of(file), Map.of(), List.of());
    assertThat(configuration.settings().protocol().heartbeatSeconds()).isEqualTo(3);
    assertThat(configuration.settings().protocol().channelMax()).isEqualTo(2);
    assertThat(configuration.settings().protocol().frameMax()).isEqualTo(5001);
    assertThat(configuration.files()).containsExactly(file, first, second);
    assertThat(new LiveConfiguration(configuration).effective())
        .contains(
            new EffectiveSetting("heartbeat", "3", second + ":1"),
            new EffectiveSetting("channel_max", "2", first + ":2"),
            new EffectiveSetting("frame_max", "5001", file + ":3"));

    Configuration ofDirectory =
        Configuration.load(
            Optional.empty(), Map.of("MAYFLY_CONFIG_FILE", parts.toString()), List.of());
    assertThat(ofDirectory.files()).containsExactly(first, second);
    assertThat(ofDirectory.settings().protocol().frameMax()).isEqualTo(131_072);
  }

  @Test
  void keyOfRabbitMqWithoutEffectCausesOneWarning() throws Exception {
    Path file = file("mqtt.prefetch = 1\ncluster_partition_handling = ignore\nmqtt.prefetch = 2\n");
    assertThat(Configuration.load(Optional.of(file), Map.of(), List.of()).warnings())
        .containsExactly(
            file + ":3: key 'mqtt.prefetch' has no effect: the broker does not speak MQTT",
            file
                + ":2: key 'cluster_partition_handling' has no effect:"
                + " nodes without a majority refuse changes of metadata and serve the queues that"
                + " they have");
    assertThatThrownBy(() -> sets().with("mqtt.prefetch", "1"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "set_config: key 'mqtt.prefetch' (value '1') has no effect:"
                + " the broker does not speak MQTT");
  }

  @Test
  void valueOfRabbitMqWithoutEffectCausesAWarningAndTheOthersOfItsFamilyApply() throws Exception {
    Configuration configuration =
        sets(
            "ssl_options.ciphers.1=ECDH-RSA-AES256-GCM-SHA384",
            "ssl_options.ciphers.2=TLS_AES_256_GCM_SHA384",
            "ssl_options.versions.1=tlsv1.2",
            "ssl_options.versions.2=tlsv1.1");
    assertThat(configuration.settings().tls().ciphers()).containsExactly("TLS_AES_256_GCM_SHA384");
    assertThat(configuration.settings().tls().versions()).containsExactly("TLSv1.2");
    assertThat(configuration.warnings())
        .containsExactly(
            "--set: value 'ECDH-RSA-AES256-GCM-SHA384' of key 'ssl_options.ciphers.1' has no"
                + " effect: Java does not offer this cipher suite, and the others of the list are"
                + " used",
            "--set: value 'tlsv1.1' of key 'ssl_options.versions.2' has no effect: only TLS 1.2 and"
                + " 1.3 are spoken");
    assertRefused(
        "ssl_options.ciphers.1=AES",
        "--set: bad value 'AES' for key 'ssl_options.ciphers.1': expected the name of a cipher"
            + " suite that Java offers, such as ECDHE-RSA-AES256-GCM-SHA384 or"
            + " TLS_AES_256_GCM_SHA384");
  }

  @Test
  void keyOfRabbitMqThatWouldBeUnsafeToIgnoreIsRefused() {
    assertRefused(
        "auth_http.ssl_options.crl_check=true",
        "--set: key 'auth_http.ssl_options.crl_check' (value 'true') is refused: revocation lists"
            + " are not read, so revoked certificates would be accepted");
  }

  @Test
  void otherNamesOfRabbitMqForAKeyAreAccepted() throws Exception {
    Configuration configuration = sets("max_channels_per_connection=7");
    assertThat(configuration.settings().protocol().channelMax()).isEqualTo(7);
    assertThat(configuration.warnings()).isEmpty();
  }

  @Test
  void secretsAreNotShownInConfigurationErrors() {
    assertRefused(
        "defualt_pass=hunter2",
        "--set: unknown key 'defualt_pass' (value (not shown)):"
            + " expected a key of MayflyMQ; did you mean 'default_pass'?");
  }

  @Test
  void configurationErrorIsOneShortLine() {
    assertThatThrownBy(() -> sets("heartbeat=1\n2" + "x".repeat(500)))
        .isInstanceOf(ConfigException.class)
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1).hasSizeLessThan(200));
  }

  @Test
  void setOptionWithoutAKeyIsRefused() {
    assertRefused("heartbeat", "--set: expected KEY=VALUE, found 'heartbeat'");
    assertRefused("=5", "--set: expected KEY=VALUE, found '=5'");
  }

  @ParameterizedTest
  @CsvSource({
    "heartbeat, 65536",
    "heartbeat, -1",
    "heartbeat, +1",
    "heartbeat, 99999999999999999999",
    "frame_max, 4095",
    "initial_frame_max, 0",
    "channel_max, 65536",
    "max_message_size, 0",
    "max_message_size, 513MiB",
    "max_message_size, 1x",
    "max_message_size, 999999999999999999TB",
    "handshake_timeout, 0",
    "shards, 0",
    "shards, 1025",
    "log.console, yes",
    "log.console.level, INFO",
    "listeners.tcp, 5672",
    "listeners.tcp.default, 65536",
    "listeners.tcp.default, :5672",
    "listeners.tcp.default, host",
    "listeners.tcp.default, a b:5672",
    "listeners.tcp.default, host:",
    "auth_mechanisms.1, plain",
    "default_permissions.read, (",
    "default_user, ''",
    "loopback_users, all",
    "vm_memory_high_watermark.relative, 1.1",
    "vm_memory_high_watermark.relative, -0.1",
    "vm_memory_high_watermark.relative, NaN",
    "vm_memory_high_watermark.absolute, 1.5GB",
    "vm_memory_high_watermark_paging_ratio, half",
    "memory_monitor_interval, 0",
    "disk_free_limit.absolute, 99999999999TB",
    "disk_free_limit.absolute, none",
    "disk_free_limit.relative, 1001"
  })
  void invalidValuesAreRefused(String key, String value) {
    assertThatThrownBy(() -> sets(key + "=" + value))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(
            "--set: bad value '" + value + "' for key '" + key + "': expected ");
  }

  @ParameterizedTest
  @CsvSource({
    "128MB, 128000000",
    "128MiB, 134217728",
    "128M, 134217728",
    "64k, 65536",
    "64kB, 64000",
    "512mib, 536870912",
    "1, 1"
  })
  void sizesAreReadInRabbitMqsUnits(String text, int bytes) throws Exception {
    assertThat(sets("max_message_size=" + text).settings().protocol().maxMessageSize())
        .isEqualTo(bytes);
  }
}
