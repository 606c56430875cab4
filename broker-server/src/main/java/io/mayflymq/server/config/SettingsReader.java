package io.mayflymq.server.config;

import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.vhost.ObjectLimits;
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

/** Reads the settings of a broker from the values of its keys. */
final class SettingsReader {
  private SettingsReader() {}

  /**
   * Gives the values their types.
   *
   * @param values each of which is of the type of its key
   * @throws ConfigException if some of them make no sense together, or in a policy
   */
  public static ServerSettings read(SettingValues values) throws ConfigException {
    Path dataDir = absolute(values.get(Keys.DATA_DIR));
    return new ServerSettings(
        listeners(values.members(Keys.TCP_LISTENERS)),
        listeners(values.members(Keys.TLS_LISTENERS)),
        Keys.TLS.settings(values),
        new TcpSettings(
            values.get(Keys.BACKLOG),
            values.get(Keys.NODELAY),
            values.get(Keys.KEEPALIVE),
            optionalInt(values.get(Keys.SEND_BUFFER)),
            optionalInt(values.get(Keys.RECEIVE_BUFFER)),
            values.get(Keys.PROXY_PROTOCOL)),
        new ProtocolSettings(
            values.get(Keys.HEARTBEAT),
            values.get(Keys.FRAME_MAX),
            values.get(Keys.INITIAL_FRAME_MAX),
            values.get(Keys.CHANNEL_MAX),
            values.get(Keys.MAX_MESSAGE_SIZE),
            values.get(Keys.MAX_TRANSACTION_SIZE),
            values.get(Keys.CLIENT_MEMORY),
            values.get(Keys.HANDSHAKE_TIMEOUT),
            values.get(Keys.CONSUMER_TIMEOUT),
            new NodeLimits(
                values.get(Keys.CONNECTION_MAX).orElse(NodeLimits.UNLIMITED),
                values.get(Keys.CHANNEL_MAX_PER_NODE).orElse(NodeLimits.UNLIMITED)),
            values.get(Keys.CONSUMER_MAX_PER_CHANNEL).orElse(NodeLimits.UNLIMITED),
            new ObjectLimits(
                values.get(Keys.VHOST_MAX).orElse(ObjectLimits.UNLIMITED),
                values.get(Keys.CLUSTER_QUEUE_LIMIT).orElse(ObjectLimits.UNLIMITED),
                values.get(Keys.CLUSTER_EXCHANGE_LIMIT).orElse(ObjectLimits.UNLIMITED),
                ofHeap(values.get(Keys.VHOST_METADATA_LIMIT)),
                ofHeap(values.get(Keys.CLUSTER_METADATA_LIMIT)))),
        new AuthSettings(
            values.inOrder(Keys.AUTH_MECHANISMS),
            trueMembers(values.members(Keys.LOOPBACK_USERS)),
            values.get(Keys.CERTIFICATE_LOGIN),
            values.get(Keys.ANONYMOUS_LOGIN_USER),
            values.get(Keys.ANONYMOUS_LOGIN_PASS),
            PasswordKeys.rule(values)),
        new DefaultsSettings(
            values.get(Keys.DEFAULT_VHOST),
            values.get(Keys.DEFAULT_USER),
            values.get(Keys.DEFAULT_PASS),
            trueMembers(values.members(Keys.DEFAULT_USER_TAGS)),
            values.get(Keys.DEFAULT_CONFIGURE),
            values.get(Keys.DEFAULT_WRITE),
            values.get(Keys.DEFAULT_READ),
            new VhostDefaults(
                DefaultPolicyKeys.policies(values),
                DefaultLimitKeys.limits(values),
                DefaultUserKeys.users(values)),
            QueueType.ofWireName(values.get(Keys.DEFAULT_QUEUE_TYPE)).orElseThrow(),
            values.get(ObjectDefaultKeys.TIME_STAMPS),
            values.get(ObjectDefaultKeys.NODE_STAMPS),
            ObjectDefaultKeys.defaults(values)),
        new DefinitionsSettings(
            values.get(Keys.LOAD_DEFINITIONS),
            values.get(Keys.SKIP_DEFINITIONS_IF_UNCHANGED),
            values.get(Keys.STRICT_DEFINITIONS)),
        ManagementKeys.settings(values),
        PrometheusKeys.settings(values),
        LogKeys.settings(values, dataDir),
        TracingKeys.settings(values),
        new DurabilitySettings(
            Sync.valueOf(values.get(Keys.DURABILITY_SYNC).toUpperCase(Locale.ROOT)),
            values.get(Keys.DURABILITY_SEGMENT_SIZE)),
        new MemorySettings(
            values.get(Keys.MEMORY_WATERMARK_RELATIVE),
            values
                .get(Keys.MEMORY_WATERMARK_ABSOLUTE)
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty),
            values.get(Keys.MEMORY_WATERMARK_PAGING_RATIO),
            values.get(Keys.MEMORY_MONITOR_INTERVAL)),
        new DiskSettings(
            values.get(Keys.DISK_FREE_ABSOLUTE),
            values
                .get(Keys.DISK_FREE_RELATIVE)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty)),
        values.get(Keys.CLUSTER_NAME),
        values.get(ClusterKeys.NODE_NAME),
        ClusterKeys.settings(values),
        dataDir,
        values.get(Keys.DATA_DIR_OWNER).equals("any"),
        values.get(Keys.SHARDS).orElseGet(Runtime.getRuntime()::availableProcessors),
        values.get(Keys.DEATH_JOURNAL_SIZE),
        values.get(Keys.EVENT_EXCHANGE_VHOST));
  }

  private static long ofHeap(double share) {
    return (long) (share * Runtime.getRuntime().maxMemory());
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
