package io.mayflymq.server.config;

import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.store.segment.file.LogOptions.Sync;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * All settings of a broker, typed and complete. Immutable.
 *
 * @param listeners by name; empty if the broker is to listen nowhere
 * @param tlsListeners the same for TLS
 * @param tls what they need
 * @param definitions what is imported at the start
 * @param dataDir absolute
 * @param shards the number of event loops, 1 to 1024
 * @param deathJournalSize how many deaths each shard remembers, 0 or more
 */
public record ServerSettings(
    List<ListenerSettings> listeners,
    List<ListenerSettings> tlsListeners,
    TlsSettings tls,
    TcpSettings tcp,
    ProtocolSettings protocol,
    AuthSettings auth,
    DefaultsSettings defaults,
    DefinitionsSettings definitions,
    ManagementSettings management,
    LogSettings log,
    DurabilitySettings durability,
    MemorySettings memory,
    DiskSettings disk,
    Path dataDir,
    int shards,
    int deathJournalSize) {

  /** Gives the configuration its types. It was checked when it was loaded, so nothing can fail. */
  public static ServerSettings of(Configuration configuration) {
    Path dataDir = absolute(configuration.get(Keys.DATA_DIR));
    return new ServerSettings(
        listeners(configuration.members(Keys.TCP_LISTENERS)),
        listeners(configuration.members(Keys.TLS_LISTENERS)),
        Keys.TLS.settings(configuration),
        new TcpSettings(
            configuration.get(Keys.BACKLOG),
            configuration.get(Keys.NODELAY),
            configuration.get(Keys.KEEPALIVE),
            optionalInt(configuration.get(Keys.SEND_BUFFER)),
            optionalInt(configuration.get(Keys.RECEIVE_BUFFER))),
        new ProtocolSettings(
            configuration.get(Keys.HEARTBEAT),
            configuration.get(Keys.FRAME_MAX),
            configuration.get(Keys.INITIAL_FRAME_MAX),
            configuration.get(Keys.CHANNEL_MAX),
            configuration.get(Keys.MAX_MESSAGE_SIZE),
            configuration.get(Keys.HANDSHAKE_TIMEOUT),
            configuration.get(Keys.CONSUMER_TIMEOUT)),
        new AuthSettings(
            configuration.inOrder(Keys.AUTH_MECHANISMS),
            trueMembers(configuration.members(Keys.LOOPBACK_USERS)),
            configuration.get(Keys.CERTIFICATE_LOGIN),
            configuration.get(Keys.ANONYMOUS_LOGIN_USER),
            configuration.get(Keys.ANONYMOUS_LOGIN_PASS)),
        new DefaultsSettings(
            configuration.get(Keys.DEFAULT_VHOST),
            configuration.get(Keys.DEFAULT_USER),
            configuration.get(Keys.DEFAULT_PASS),
            trueMembers(configuration.members(Keys.DEFAULT_USER_TAGS)),
            configuration.get(Keys.DEFAULT_CONFIGURE),
            configuration.get(Keys.DEFAULT_WRITE),
            configuration.get(Keys.DEFAULT_READ),
            configuration.defaultPolicies(),
            QueueType.ofWireName(configuration.get(Keys.DEFAULT_QUEUE_TYPE)).orElseThrow(),
            configuration.objectDefaults()),
        new DefinitionsSettings(
            configuration.get(Keys.LOAD_DEFINITIONS),
            configuration.get(Keys.SKIP_DEFINITIONS_IF_UNCHANGED)),
        ManagementKeys.settings(configuration),
        new LogSettings(
            configuration.get(Keys.LOG_CONSOLE),
            configuration.get(Keys.LOG_CONSOLE_LEVEL),
            configuration
                .get(Keys.LOG_FILE)
                .map(dataDir.resolve(configuration.get(Keys.LOG_DIR))::resolve),
            configuration.get(Keys.LOG_FILE_LEVEL),
            configuration.get(Keys.LOG_FILE_ROTATION_SIZE),
            configuration.get(Keys.LOG_FILE_ROTATION_COUNT)),
        new DurabilitySettings(
            Sync.valueOf(configuration.get(Keys.DURABILITY_SYNC).toUpperCase(Locale.ROOT)),
            configuration.get(Keys.DURABILITY_SEGMENT_SIZE)),
        new MemorySettings(
            configuration.get(Keys.MEMORY_WATERMARK_RELATIVE),
            configuration
                .get(Keys.MEMORY_WATERMARK_ABSOLUTE)
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty),
            configuration.get(Keys.MEMORY_WATERMARK_PAGING_RATIO),
            configuration.get(Keys.MEMORY_MONITOR_INTERVAL)),
        new DiskSettings(
            configuration.get(Keys.DISK_FREE_ABSOLUTE),
            configuration
                .get(Keys.DISK_FREE_RELATIVE)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty)),
        dataDir,
        configuration.get(Keys.SHARDS).orElseGet(Runtime.getRuntime()::availableProcessors),
        configuration.get(Keys.DEATH_JOURNAL_SIZE));
  }

  private static List<ListenerSettings> listeners(
      SortedMap<String, Optional<ListenAddress>> members) {
    return members.entrySet().stream()
        .flatMap(
            member ->
                member.getValue().stream()
                    .map(at -> new ListenerSettings(member.getKey(), at.host(), at.port())))
        .toList();
  }

  private static Set<String> trueMembers(SortedMap<String, Boolean> members) {
    return members.entrySet().stream()
        .filter(Map.Entry::getValue)
        .map(Map.Entry::getKey)
        .collect(
            Collectors.collectingAndThen(
                Collectors.toCollection(TreeSet::new), Collections::unmodifiableSortedSet));
  }

  private static OptionalInt optionalInt(Optional<Integer> value) {
    return value.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  private static Path absolute(Path path) {
    return path.toAbsolutePath().normalize();
  }
}
