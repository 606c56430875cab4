package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.routing.RecentHistory;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.ObjectLimits;
import io.mayflymq.server.config.LogSettings.Output;
import io.mayflymq.server.config.LogSettings.Rotation;
import io.mayflymq.server.config.TlsSettings.Revocation;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerSettingsTest {
  private static ServerSettings settings(String... sets) throws ConfigException {
    return Configuration.load(Optional.empty(), Map.of(), List.of(sets)).settings();
  }

  @Test
  void deprecatedFeaturesArePermittedUnlessTheyAreDenied() throws Exception {
    assertThat(settings().defaults().objects().denied()).isEmpty();
    assertThat(
            settings(
                    "deprecated_features.permit.global_qos=false",
                    "deprecated_features.permit.classic_queue_mode=true",
                    "deprecated_features.permit.frame_max_below_8192=false")
                .defaults()
                .objects()
                .denied())
        .containsExactly(DeprecatedFeature.GLOBAL_QOS, DeprecatedFeature.FRAME_MAX_BELOW_8192);
  }

  @Test
  void definitionsThatAreWrongRefuseTheStartOnlyIfStrict() throws Exception {
    assertThat(settings().definitions().strict()).isFalse();
    assertThat(settings("definitions.strict=true").definitions().strict()).isTrue();
  }

  @Test
  void standbyHasTheAddressesOfItsPrimary() throws Exception {
    assertThat(settings().standby().isConfigured()).isFalse();
    StandbySettings standby =
        settings(
                "standby.primary.uri=http://me:secret@a:15672",
                "standby.primary.uris.10=https://me:secret@c",
                "standby.primary.uris.2=http://me:secret@b:15672/prefix")
            .standby();
    assertThat(standby.primaries())
        .extracting(StandbySettings::shown)
        .containsExactly("http://a:15672", "http://b:15672", "https://c");
    assertThat(standby.toString()).doesNotContain("secret");
    for (String bad : List.of("amqp://me:secret@a", "http://a:15672", "http://me@a", "secret")) {
      assertThatThrownBy(() -> settings("standby.primary.uri=" + bad))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("expected an address such as http://user:password@host:15672")
          .hasMessageNotContaining(bad);
    }
  }

  @Test
  void standbyIsNoNodeOfACluster() {
    assertThatThrownBy(
            () ->
                settings(
                    "standby.primary.uri=http://me:secret@a:15672",
                    "cluster.listener=127.0.0.1:25672",
                    "cluster.secret=secret"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "key 'standby.primary.uri' and key 'cluster.listener' are set: expected one of them");
  }

  @Test
  void theDisconnectedTimeoutIsADefaultOfTheKey() throws Exception {
    assertThat(settings().defaults().objects().values()).isEmpty();
    assertThat(settings("consumer_disconnected_timeout=60000").defaults().objects().values())
        .isEqualTo(Map.of(PolicyKey.CONSUMER_DISCONNECTED_TIMEOUT, 60_000L));
  }

  @Test
  void noSmallFramesAreOfferedWhereTheyAreDenied() {
    assertThatThrownBy(
            () ->
                settings("frame_max=4096", "deprecated_features.permit.frame_max_below_8192=false"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "frame_max: 4096: expected 0, or 8192 or more, as"
                + " deprecated_features.permit.frame_max_below_8192 is false");
  }

  @Test
  void revocationListsAreInDirectories() throws Exception {
    assertThat(settings().tls().revocation()).isEmpty();
    assertThat(
            settings(
                    "ssl_options.crl_check=peer",
                    "ssl_options.crl_sources.1=dir",
                    "ssl_options.crl_sources.1.path=/one",
                    "ssl_options.crl_sources.2.path=/two")
                .tls()
                .revocation())
        .contains(new Revocation(Revocation.Check.PEER, List.of(Path.of("/one"), Path.of("/two"))));
    assertThat(settings("trust_store.directory=/trusted").tls().trusted())
        .contains(Path.of("/trusted"));
    assertThatThrownBy(() -> settings("ssl_options.crl_check=true"))
        .hasMessage(
            "ssl_options.crl_check = true: there are no revocation lists: expected"
                + " ssl_options.crl_sources.1 = dir and ssl_options.crl_sources.1.path");
    assertThatThrownBy(() -> settings("ssl_options.crl_sources.1=dir"))
        .hasMessage("ssl_options.crl_sources.1 = dir: ssl_options.crl_sources.1.path is missing");
    assertThatThrownBy(() -> settings("ssl_options.crl_sources.1=http"))
        .hasMessage("ssl_options.crl_sources.1 = http: expected dir: lists are not fetched");
  }

  @Test
  void aClockThatIsMovedByHandNeedsOneShardAndNoCluster() throws Exception {
    assertThat(settings().clock()).isEqualTo(new ClockSettings(false, Optional.empty(), false));
    ServerSettings manual =
        settings("clock=manual", "clock.start=2030-01-01T00:00:00Z", "clock.on_old_data=true");
    assertThat(manual.clock())
        .isEqualTo(
            new ClockSettings(true, Optional.of(Instant.parse("2030-01-01T00:00:00Z")), true));
    assertThat(manual.shards()).isEqualTo(1);
    assertThatThrownBy(() -> settings("clock=manual", "shards=2"))
        .hasMessage(
            "shards: 2: expected 1, or auto, as clock is manual: only then the order of events is"
                + " the same each time");
    assertThatThrownBy(() -> settings("clock=manual", "cluster.listener=1", "cluster.secret=s"))
        .hasMessageStartingWith("cluster.listener does not go with clock = manual");
    assertThatThrownBy(() -> settings("clock=fast"))
        .hasMessageContaining("expected manual or real");
    assertThatThrownBy(() -> settings("clock.start=tomorrow"))
        .hasMessageContaining("expected a moment such as 2026-01-01T00:00:00Z, from 1970 to 2199");
  }

  @Test
  void settingsWithoutConfigurationAreTheDefaults() throws Exception {
    ServerSettings settings = settings();
    assertThat(settings.listeners()).containsExactly(new ListenerSettings("default", "", 5672));
    assertThat(settings.tcp())
        .isEqualTo(
            new TcpSettings(1024, true, false, OptionalInt.empty(), OptionalInt.empty(), false));
    assertThat(settings.protocol())
        .isEqualTo(
            new ProtocolSettings(
                60,
                131_072,
                8192,
                2047,
                134_217_728,
                536_870_912,
                0.12,
                10_000,
                1_800_000,
                NodeLimits.NONE,
                NodeLimits.UNLIMITED,
                new ObjectLimits(
                    ObjectLimits.UNLIMITED,
                    ObjectLimits.UNLIMITED,
                    ObjectLimits.UNLIMITED,
                    shareOfHeap(0.2),
                    shareOfHeap(0.25))));
    assertThat(settings.auth().mechanisms()).containsExactly("PLAIN", "AMQPLAIN");
    assertThat(settings.auth().loopbackUsers()).containsExactly("guest");
    assertThat(settings.defaults().user()).isEqualTo("guest");
    assertThat(settings.defaults().password()).isEqualTo("guest");
    assertThat(settings.defaults().vhost()).isEqualTo("/");
    assertThat(settings.defaults().tags()).containsExactly("administrator");
    assertThat(settings.defaults().read()).isEqualTo(".*");
    assertThat(settings.log())
        .isEqualTo(
            new LogSettings(
                Optional.of(new Output(LogLevel.INFO, LogFormat.PLAINTEXT)),
                Optional.empty(),
                new Output(LogLevel.INFO, LogFormat.PLAINTEXT),
                new Rotation(0, Optional.empty(), 5, false),
                Map.of()));
    assertThat(settings.dataDir()).isEqualTo(Path.of("mayfly-data").toAbsolutePath());
    assertThat(settings.shards()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(settings.deathJournalSize()).isEqualTo(1_000_000);
    assertThat(settings.deathJournalBytes()).isEqualTo(64 << 20);
  }

  @Test
  void metricsAreServedOnAPathWithoutSlashAtTheEnd() throws Exception {
    assertThat(settings().prometheus())
        .satisfies(
            prometheus -> {
              assertThat(prometheus.address()).contains(new InetSocketAddress("0.0.0.0", 15692));
              assertThat(prometheus.tlsAddress()).isEmpty();
              assertThat(prometheus.path()).isEqualTo("/metrics");
              assertThat(prometheus.perObject()).isFalse();
              assertThat(prometheus.authentication()).isFalse();
            });
    PrometheusSettings tls = settings("prometheus.ssl.port=15691").prometheus();
    assertThat(tls.address()).isEmpty();
    assertThat(tls.tlsPort()).contains(15691);
    assertThat(settings("prometheus.path=a/b/").prometheus().path()).isEqualTo("/a/b");
    assertThat(settings("prometheus.tcp.port=none").prometheus().address()).isEmpty();
  }

  @Test
  void limitsOfObjectsAreConfigured() throws Exception {
    ProtocolSettings protocol =
        settings(
                "vhost_max=3",
                "cluster_queue_limit=0",
                "cluster_exchange_limit=7",
                "consumer_max_per_channel=1",
                "vhost_metadata_limit.relative=0.25")
            .protocol();
    assertThat(protocol.objects())
        .isEqualTo(new ObjectLimits(3, 0, 7, shareOfHeap(0.25), shareOfHeap(0.25)));
    assertThat(protocol.consumerMaxPerChannel()).isEqualTo(1);
  }

  private static long shareOfHeap(double share) {
    return (long) (share * Runtime.getRuntime().maxMemory());
  }

  @Test
  void limitsOfTheNodeAreConfigured() throws Exception {
    NodeLimits limits =
        settings("max_connections=100", "channel_max_per_node=200").protocol().node();
    assertThat(limits.connections()).isEqualTo(100);
    assertThat(limits.channels()).isEqualTo(200);
    assertThat(settings("connection_max=infinity").protocol().node().connections())
        .isEqualTo(NodeLimits.UNLIMITED);
  }

  @Test
  void defaultLimitsAreInTheOrderOfTheirNumbers() throws Exception {
    assertThat(
            settings(
                    "default_limits.vhosts.10.max_queues=10",
                    "default_limits.vhosts.2.pattern=^tenant-",
                    "default_limits.vhosts.2.max_queues=2",
                    "default_limits.vhosts.2.max_connections=3")
                .defaults()
                .ofVhosts()
                .limits())
        .satisfiesExactly(
            second -> {
              assertThat(second.vhosts().matches("tenant-a")).isTrue();
              assertThat(second.vhosts().matches("a")).isFalse();
              assertThat(second.limits())
                  .isEqualTo(Limits.of(Map.of(Limit.MAX_QUEUES, 2, Limit.MAX_CONNECTIONS, 3)));
            },
            tenth -> {
              assertThat(tenth.vhosts().matches("any")).isTrue();
              assertThat(tenth.limits()).isEqualTo(Limits.of(Map.of(Limit.MAX_QUEUES, 10)));
            });
  }

  @Test
  void defaultUsersHaveAPasswordTagsAndPermissions() throws Exception {
    assertThat(
            settings(
                    "default_users.ann.vhost_pattern=^tenant-",
                    "default_users.ann.password=secret",
                    "default_users.ann.tags=management, policymaker",
                    "default_users.ann.write=^ann",
                    "default_users.bob.read=^bob")
                .defaults()
                .ofVhosts()
                .users())
        .satisfiesExactly(
            ann -> {
              assertThat(ann.vhosts().matches("tenant-a")).isTrue();
              assertThat(ann.vhosts().matches("a")).isFalse();
              assertThat(ann.user().name()).isEqualTo("ann");
              assertThat(ann.user().tags()).containsExactly("management", "policymaker");
              assertThat(ann.user().passwordHash().matches("secret")).isTrue();
              assertThat(ann.permissions()).isEqualTo(Permissions.of(".*", "^ann", ".*"));
            },
            bob -> {
              assertThat(bob.vhosts().matches("any")).isTrue();
              assertThat(bob.user()).isEqualTo(new User("bob", PasswordHash.NONE, List.of()));
              assertThat(bob.permissions()).isEqualTo(Permissions.of(".*", ".*", "^bob"));
            });
    assertThatThrownBy(() -> settings("default_users.ann.password="))
        .hasMessage(
            "--set: bad value (not shown) for key 'default_users.ann.password': expected a text that"
                + " is not empty");
  }

  @Test
  void managementPathPrefixBeginsWithASlashAndDoesNotEndWithOne() throws Exception {
    assertThat(settings().management().pathPrefix()).isEmpty();
    assertThat(settings("management.path_prefix=/").management().pathPrefix()).isEmpty();
    assertThat(settings("management.path_prefix=a/b/").management().pathPrefix()).isEqualTo("/a/b");
  }

  @Test
  void managementListensOnTcpUnlessOnlyTlsIsConfigured() throws Exception {
    assertThat(settings().management().port()).contains(15672);
    assertThat(settings().management().tlsAddress()).isEmpty();
    ManagementSettings tls = settings("management.ssl.port=15671").management();
    assertThat(tls.tlsPort()).contains(15671);
    assertThat(tls.address()).isEmpty();
    for (String tcp : List.of("management.tcp.port=15672", "management.tcp.ip=0.0.0.0")) {
      ManagementSettings both = settings("management.ssl.port=15671", tcp).management();
      assertThat(both.port()).as(tcp).contains(15672);
      assertThat(both.tlsPort()).as(tcp).contains(15671);
    }
  }

  @Test
  void tlsHasTheSameKeysUnderBothPrefixes() throws Exception {
    TlsSettings amqp = settings("ssl_options.versions.1=tlsv1.2").tls();
    assertThat(amqp.versions()).containsExactly("TLSv1.2");
    TlsSettings management =
        settings("management.ssl.verify=verify_peer", "management.ssl.keyfile=k.pem")
            .management()
            .tls();
    assertThat(management.versions()).containsExactly("TLSv1.3", "TLSv1.2");
    assertThat(management.verifyPeer()).isTrue();
    assertThat(management.key()).contains(Path.of("k.pem"));
    assertThat(management.option("keyfile")).isEqualTo("management.ssl.keyfile");
  }

  @Test
  void memoryLimitsAreConfigured() throws Exception {
    assertThat(settings().memory())
        .isEqualTo(new MemorySettings(0.8, OptionalLong.empty(), 0.2, 2500));
    MemorySettings share =
        settings(
                "vm_memory_high_watermark.relative=0.25",
                "vm_memory_high_watermark_paging_ratio=0.75",
                "memory_monitor_interval=100")
            .memory();
    assertThat(share.watermarkBytes(1000)).isEqualTo(250);
    assertThat(share.pagingBytes(1000)).isEqualTo(187);
    assertThat(share.monitorIntervalMillis()).isEqualTo(100);
    MemorySettings bytes = settings("vm_memory_high_watermark.absolute=3GiB").memory();
    assertThat(bytes.watermarkBytes(4L << 30)).isEqualTo(3L << 30);
    assertThat(bytes.pagingBytes(4L << 30)).isEqualTo((3L << 30) / 5);
    assertThat(bytes.watermarkBytes(1L << 30)).as("never beyond the heap").isEqualTo(1L << 30);
  }

  /** That of MetricsService. */
  private static final int PART_FOR_METRICS = 8;

  /** So that no client is blocked by an alarm that others raise with what they may hold. */
  @Test
  void whatMayBeHeldTakesLessThanTheWatermarkOfASmallHeap() throws Exception {
    long heap = 256 << 20;
    // Measured: a broker without clients has 8 MB on the heap, one in use up to 12 MB of buffers
    // beside it.
    long ofBroker = 20 << 20;
    ServerSettings defaults = settings();
    double metadata =
        (double) defaults.protocol().objects().bytes() / Runtime.getRuntime().maxMemory();
    assertThat(
            ofBroker
                + defaults.memory().pagingBytes(heap)
                + (long) (metadata * heap)
                + defaults.protocol().clientMemoryBytes(heap)
                + heap / PART_FOR_METRICS
                + heap / RecentHistory.PART_OF_HEAP)
        .isLessThan(defaults.memory().watermarkBytes(heap));
  }

  @Test
  void diskLimitsAreConfigured() throws Exception {
    assertThat(settings().disk().limitBytes(() -> 8L << 30)).isEqualTo(50_000_000);
    assertThat(settings("disk_free_limit.absolute=2T").disk().limitBytes(() -> 8L << 30))
        .isEqualTo(2L << 40);
    assertThat(settings("disk_free_limit.relative=1.5").disk().limitBytes(() -> 8L << 30))
        .isEqualTo(12L << 30);
  }

  @Test
  void configuredListenersReplaceTheDefault() throws Exception {
    assertThat(
            settings(
                    "listeners.tcp.a=127.0.0.1:5673",
                    "listeners.tcp.b=[::1]:5674",
                    "listeners.tcp.c=::1:5675",
                    "listeners.tcp.d=none",
                    "listeners.tcp.e=0")
                .listeners())
        .containsExactly(
            new ListenerSettings("a", "127.0.0.1", 5673),
            new ListenerSettings("b", "::1", 5674),
            new ListenerSettings("c", "::1", 5675),
            new ListenerSettings("e", "", 0))
        .extracting(ListenerSettings::toString)
        .containsExactly("127.0.0.1:5673", "[::1]:5674", "[::1]:5675", "port 0");
  }

  @Test
  void listenersNoneRemovesListenersOfTheSameOrAnEarlierSource(@TempDir Path directory)
      throws Exception {
    assertThat(settings("listeners.tcp=none").listeners()).isEmpty();
    assertThat(settings("listeners.tcp=none", "listeners.tcp.a=1").listeners()).isEmpty();
    Path file = Files.writeString(directory.resolve("c"), "listeners.tcp = none");
    Configuration added =
        Configuration.load(Optional.of(file), Map.of(), List.of("listeners.tcp.a=1"));
    assertThat(added.settings().listeners()).containsExactly(new ListenerSettings("a", "", 1));
  }

  @Test
  void loopbackUsersFollowRabbitMq() throws Exception {
    assertThat(settings("loopback_users=none").auth().loopbackUsers()).isEmpty();
    assertThat(settings("loopback_users.guest=false").auth().loopbackUsers()).isEmpty();
    assertThat(settings("loopback_users.ann=true").auth().loopbackUsers()).containsExactly("ann");
  }

  @Test
  void mechanismsAreOrderedByTheirNumbers() throws Exception {
    assertThat(
            settings(
                    "auth_mechanisms.10=ANONYMOUS",
                    "auth_mechanisms.2=AMQPLAIN",
                    "auth_mechanisms.9=PLAIN")
                .auth()
                .mechanisms())
        .containsExactly("AMQPLAIN", "PLAIN", "ANONYMOUS");
  }

  @Test
  void logFileIsInTheDataDirectoryByDefault() throws Exception {
    assertThat(settings("data_dir=/d", "log.file=m.log").log().path())
        .contains(Path.of("/d/log/m.log"));
    assertThat(settings("data_dir=/d", "log.dir=/var/log", "log.file=m.log").log().path())
        .contains(Path.of("/var/log/m.log"));
  }

  @Test
  void passwordsAreNotPrinted() throws Exception {
    ServerSettings settings = settings("default_pass=hunter2", "anonymous_login_pass=hunter3");
    assertThat(settings.toString()).contains("guest").doesNotContain("hunter");
  }
}
