package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.constant;
import static io.mayflymq.server.config.ValueTypes.fraction;
import static io.mayflymq.server.config.ValueTypes.largeBytes;
import static io.mayflymq.server.config.ValueTypes.listenAddress;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.regularExpression;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;
import static io.mayflymq.server.config.ValueTypes.zeroOr;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.naming.NearestName;
import io.mayflymq.core.security.CertificateLogin;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every key there is, declared once: name, type with its range, default, and a line of
 * documentation. A key stands here when the broker honours it, and not before.
 */
public final class Keys {
  /** RabbitMQ's own ceiling for max_message_size, 512 MiB. */
  private static final int LARGEST_MESSAGE = 512 << 20;

  private static final Section LISTENERS = new Section("Listeners");
  private static final Section CONNECTIONS = new Section("Connections");
  private static final Section LOGIN = new Section("Logging in");
  private static final Section FIRST_START = new Section("First start");
  private static final Section DEFINITIONS = new Section("Definitions");
  private static final Section ALARMS = new Section("Alarms");
  private static final Section MACHINE = new Section("Machine");

  static final Setting<String> NO_TCP_LISTENERS =
      LISTENERS.add(
          Setting.withoutDefault(
              "listeners.tcp",
              word("none"),
              "Listens on no TCP port. Listeners from a later source still apply."));
  static final KeyFamily<Optional<ListenAddress>> TCP_LISTENERS =
      LISTENERS.add(
          new KeyFamily<>(
              "listeners.tcp.",
              "$name",
              orWord("none", listenAddress()),
              Map.of("listeners.tcp.default", "5672"),
              "Where clients connect. With port 0 the operating system chooses a port."));

  static final KeyFamily<Optional<ListenAddress>> TLS_LISTENERS =
      LISTENERS.add(
          new KeyFamily<>(
              "listeners.ssl.",
              "$name",
              orWord("none", listenAddress()),
              Map.of("listeners.ssl.default", "none"),
              "Where clients connect with [TLS](tls.md); the usual port is 5671."));
  static final TlsKeys TLS = TlsKeys.of(LISTENERS, "ssl_options", "listeners.ssl");
  static final Setting<CertificateLogin> CERTIFICATE_LOGIN =
      LOGIN.add(
          Setting.of(
              "ssl_cert_login_from",
              constant(CertificateLogin.class),
              "distinguished_name",
              "The part of a client's certificate that is its user name, for `EXTERNAL`."));

  static final Setting<Integer> BACKLOG =
      LISTENERS.add(
          Setting.of(
              "tcp_listen_options.backlog",
              wholeNumber("connections", 1, 65_535),
              "1024",
              "Connections that may wait to be accepted."));
  static final Setting<Boolean> NODELAY =
      LISTENERS.add(
          Setting.of("tcp_listen_options.nodelay", bool(), "true", "Sends small packets at once."));
  static final Setting<Boolean> KEEPALIVE =
      LISTENERS.add(
          Setting.of(
              "tcp_listen_options.keepalive",
              bool(),
              "false",
              "Lets the operating system probe idle connections."));
  static final Setting<Optional<Integer>> SEND_BUFFER =
      LISTENERS.add(
          Setting.of(
              "tcp_listen_options.sndbuf",
              orWord("auto", bytes(1024, 1 << 30)),
              "auto",
              "The socket's send buffer."));
  static final Setting<Optional<Integer>> RECEIVE_BUFFER =
      LISTENERS.add(
          Setting.of(
              "tcp_listen_options.recbuf",
              orWord("auto", bytes(1024, 1 << 30)),
              "auto",
              "The socket's receive buffer."));

  static final Setting<Boolean> PROXY_PROTOCOL =
      LISTENERS.add(
          Setting.of(
              "proxy_protocol",
              bool(),
              "false",
              "Whether connections to all listeners for AMQP begin with a header of the [PROXY protocol](#behind-a-proxy)."));

  static final Setting<Integer> HEARTBEAT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "heartbeat",
              wholeNumber("seconds", 0, 65_535),
              "60",
              "The interval offered to clients; 0 offers none."));
  static final Setting<Integer> FRAME_MAX =
      CONNECTIONS.addChangeable(
          Setting.of(
              "frame_max",
              zeroOr("no limit", "bytes", 4096, LARGEST_MESSAGE),
              "131072",
              "The largest frame offered; 0 for no limit."));
  static final Setting<Integer> INITIAL_FRAME_MAX =
      CONNECTIONS.addChangeable(
          Setting.of(
              "initial_frame_max",
              wholeNumber("bytes", 4096, LARGEST_MESSAGE),
              "8192",
              "The largest frame accepted until `connection.tune-ok`."));
  static final Setting<Integer> CHANNEL_MAX =
      CONNECTIONS.addChangeable(
          Setting.of(
              "channel_max",
              wholeNumber("channels", 0, 65_535),
              "2047",
              "Channels per connection; 0 leaves it to the client."));
  static final Setting<Optional<Integer>> CONNECTION_MAX =
      CONNECTIONS.addChangeable(
          Setting.of(
              "connection_max",
              orWord("infinity", wholeNumber("connections", 0, Integer.MAX_VALUE)),
              "infinity",
              "Connections that may be open on this node, all users and virtual hosts together. A further one is closed with 530 NOT_ALLOWED when it opens its virtual host. RabbitMQ 4 also calls it `max_connections`."));
  static final Setting<Optional<Integer>> CHANNEL_MAX_PER_NODE =
      CONNECTIONS.addChangeable(
          Setting.of(
              "channel_max_per_node",
              orWord("infinity", wholeNumber("channels", 1, Integer.MAX_VALUE)),
              "infinity",
              "Channels that may be open on this node, on all connections together. Opening a further one closes its connection with 530 NOT_ALLOWED."));
  static final Setting<Optional<Integer>> CONSUMER_MAX_PER_CHANNEL =
      CONNECTIONS.addChangeable(
          Setting.of(
              "consumer_max_per_channel",
              orWord("infinity", wholeNumber("consumers", 1, Integer.MAX_VALUE)),
              "infinity",
              "Consumers that a channel may have. A further one closes the connection with 530 NOT_ALLOWED."));
  static final Setting<Optional<Integer>> VHOST_MAX =
      CONNECTIONS.addChangeable(
          Setting.of(
              "vhost_max",
              orWord("infinity", wholeNumber("virtual hosts", 0, Integer.MAX_VALUE)),
              "infinity",
              "Virtual hosts that there may be. A further one is refused: 400 in the HTTP API, and nothing is imported from definitions with too many."));
  static final Setting<Optional<Integer>> CLUSTER_QUEUE_LIMIT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "cluster_queue_limit",
              orWord("infinity", wholeNumber("queues", 0, Integer.MAX_VALUE)),
              "infinity",
              "Queues that there may be, in all virtual hosts together. Declaring a further one closes the channel with 406; existing queues are kept."));
  static final Setting<Optional<Integer>> CLUSTER_EXCHANGE_LIMIT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "cluster_exchange_limit",
              orWord("infinity", wholeNumber("exchanges", 0, Integer.MAX_VALUE)),
              "infinity",
              "Exchanges that there may be, in all virtual hosts together, with the seven that each virtual host begins with. Declaring a further one closes the channel with 406; existing exchanges are kept."));
  static final Setting<Double> VHOST_METADATA_LIMIT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "vhost_metadata_limit.relative",
              fraction(1),
              "0.2",
              "The share of the largest heap (`-Xmx`) that exchanges, queues and bindings of a virtual host may take, about, if it has no [`max-metadata-bytes`](access-control.md#limits). A further one closes the channel with 406; existing ones are kept."));
  static final Setting<Double> CLUSTER_METADATA_LIMIT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "cluster_metadata_limit.relative",
              fraction(1),
              "0.25",
              "The same for all virtual hosts together, with users, permissions and parameters, which may take a quarter of it."));
  static final Setting<Integer> MAX_MESSAGE_SIZE =
      CONNECTIONS.addChangeable(
          Setting.of(
              "max_message_size",
              bytes(1, LARGEST_MESSAGE),
              "134217728",
              "The largest message body. A larger one closes the channel with 406."));
  static final Setting<Long> MAX_TRANSACTION_SIZE =
      CONNECTIONS.addChangeable(
          Setting.of(
              "max_transaction_size",
              largeBytes(),
              "536870912",
              "The memory that a [transaction](alarms.md#transactions-and-incomplete-messages) may take until it is committed. A larger one closes the channel with 406."));
  static final Setting<Double> CLIENT_MEMORY =
      CONNECTIONS.addChangeable(
          Setting.of(
              "client_memory_limit.relative",
              fraction(1),
              "0.12",
              "The share of the maximum heap that [transactions, incomplete messages, connections, channels and consumers](alarms.md#transactions-and-incomplete-messages) of all clients may take together. Above it those of the virtual host that holds the most give up."));
  static final Setting<Integer> HANDSHAKE_TIMEOUT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "handshake_timeout",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "10000",
              "The time limit for a client to send its protocol header, and again from there until the connection is open."));

  static final Setting<Integer> CONSUMER_TIMEOUT =
      CONNECTIONS.addChangeable(
          Setting.of(
              "consumer_timeout",
              zeroOr("no limit", "milliseconds", 1, Integer.MAX_VALUE),
              "1800000",
              "How long a delivery may stay unacknowledged before its channel is closed; 0 for no limit. See [consumers](consumers.md#acknowledgement-timeout)."));

  static final KeyFamily<String> AUTH_MECHANISMS =
      LOGIN.add(
          new KeyFamily<>(
              "auth_mechanisms.",
              "$n",
              word("PLAIN", "AMQPLAIN", "EXTERNAL", "ANONYMOUS"),
              Map.of("auth_mechanisms.1", "PLAIN", "auth_mechanisms.2", "AMQPLAIN"),
              "SASL mechanisms, in the order of their numbers. `EXTERNAL` is offered on [TLS](tls.md#logging-in-by-certificate) only."));

  /** One backend needs no code: any other value is refused. */
  private static final KeyFamily<String> AUTH_BACKENDS =
      LOGIN.add(
          new KeyFamily<>(
              "auth_backends.",
              "$n",
              word("internal", "rabbit_auth_backend_internal")
                  .describedAs("internal, the only authentication backend here"),
              Map.of("auth_backends.1", "internal"),
              "Where users, their passwords and permissions are. The broker has no other backend and refuses the names of others."));

  static final Setting<String> ANONYMOUS_LOGIN_USER =
      LOGIN.add(
          Setting.of(
              "anonymous_login_user",
              text(),
              "guest",
              "The user of a client that logs in by `ANONYMOUS`."));
  static final Setting<String> ANONYMOUS_LOGIN_PASS =
      LOGIN.add(Setting.of("anonymous_login_pass", secretText(), "guest", "That user's password."));
  static final Setting<String> NO_LOOPBACK_USERS =
      LOGIN.addChangeable(
          Setting.withoutDefault(
              "loopback_users", word("none"), "Lets every user connect from anywhere."));
  static final KeyFamily<Boolean> LOOPBACK_USERS =
      LOGIN.addChangeable(
          new KeyFamily<>(
              "loopback_users.",
              "$user",
              bool(),
              Map.of("loopback_users.guest", "true"),
              "Whether a user may connect from the same machine only."));

  static final Setting<String> DEFAULT_VHOST =
      FIRST_START.add(Setting.of("default_vhost", text(), "/", "The virtual host."));
  static final Setting<String> DEFAULT_USER =
      FIRST_START.add(Setting.of("default_user", text(), "guest", "The user."));
  static final Setting<String> DEFAULT_PASS =
      FIRST_START.add(Setting.of("default_pass", secretText(), "guest", "The user's password."));
  static final KeyFamily<Boolean> DEFAULT_USER_TAGS =
      FIRST_START.add(
          new KeyFamily<>(
              "default_user_tags.",
              "$tag",
              bool(),
              Map.of("default_user_tags.administrator", "true"),
              "The user's tags."));
  static final Setting<String> DEFAULT_CONFIGURE =
      FIRST_START.add(
          Setting.of(
              "default_permissions.configure",
              regularExpression(),
              ".*",
              "Names that the user may declare and delete."));
  static final Setting<String> DEFAULT_WRITE =
      FIRST_START.add(
          Setting.of(
              "default_permissions.write",
              regularExpression(),
              ".*",
              "Names that the user may publish to."));
  static final Setting<String> DEFAULT_READ =
      FIRST_START.add(
          Setting.of(
              "default_permissions.read",
              regularExpression(),
              ".*",
              "Names that the user may consume from."));

  static final Setting<String> DEFAULT_QUEUE_TYPE =
      FIRST_START.add(
          Setting.of(
              "default_queue_type",
              word("classic", "quorum", "stream"),
              "classic",
              "The type of queues that are declared without one, in every virtual host that has no default of its own. See [quorum queues](quorum-queues.md#default-queue-type)."));

  static final Setting<Optional<Path>> LOAD_DEFINITIONS =
      DEFINITIONS.add(
          Setting.of(
              "load_definitions",
              orWord("none", path()),
              "none",
              "A file with [definitions](definitions.md), or a directory of files that end in `.json`, imported at each start."));
  static final Setting<Boolean> SKIP_DEFINITIONS_IF_UNCHANGED =
      DEFINITIONS.add(
          Setting.of(
              "definitions.skip_if_unchanged",
              bool(),
              "false",
              "Whether the import is skipped if they are the same as the last time, and nothing was left out then."));
  static final Setting<Boolean> STRICT_DEFINITIONS =
      DEFINITIONS.add(
          Setting.of(
              "definitions.strict",
              bool(),
              "false",
              "Whether one definition that is wrong refuses the start. Else it is [left out](definitions.md#at-the-start), with a warning."));

  static final Setting<Double> MEMORY_WATERMARK_RELATIVE =
      ALARMS.addChangeable(
          Setting.of(
              "vm_memory_high_watermark.relative",
              fraction(1),
              "0.8",
              "The share of the maximum heap (`-Xmx`) above which the memory alarm is raised."));
  static final Setting<Optional<Long>> MEMORY_WATERMARK_ABSOLUTE =
      ALARMS.addChangeable(
          Setting.of(
              "vm_memory_high_watermark.absolute",
              orWord("none", largeBytes()),
              "none",
              "The same in bytes. If set, it replaces the relative one; never more than the maximum heap."));
  static final Setting<Double> MEMORY_WATERMARK_PAGING_RATIO =
      ALARMS.add(
          Setting.of(
              "vm_memory_high_watermark_paging_ratio",
              fraction(1),
              "0.2",
              "The share of that watermark above which message contents are kept on disk only."));
  static final Setting<Integer> MEMORY_MONITOR_INTERVAL =
      ALARMS.add(
          Setting.of(
              "memory_monitor_interval",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "2500",
              "The time between two checks of the memory in use."));
  static final Setting<Long> DISK_FREE_ABSOLUTE =
      ALARMS.addChangeable(
          Setting.of(
              "disk_free_limit.absolute",
              largeBytes(),
              "50MB",
              "The free bytes on the disk of `data_dir` below which the disk alarm is raised; 0 for never."));
  static final Setting<Optional<Double>> DISK_FREE_RELATIVE =
      ALARMS.addChangeable(
          Setting.of(
              "disk_free_limit.relative",
              orWord("none", fraction(1_000)),
              "none",
              "The same as a multiple of the machine's memory. If set, it replaces the absolute one."));

  static final Setting<Optional<String>> CLUSTER_NAME =
      MACHINE.add(
          Setting.of(
              "cluster_name",
              orWord("none", text()),
              "none",
              "The name of the cluster, which is set at each start; clients and the API show it. With `none` it stays as it is, and is first the name of the node, in a cluster of the one with which it began."));
  static final Setting<Path> DATA_DIR =
      MACHINE.add(
          Setting.of(
              "data_dir",
              path(),
              "./mayfly-data",
              "The data directory. Only one broker at a time can use it."));
  static final Setting<String> DATA_DIR_OWNER =
      MACHINE.add(
          Setting.of(
              "data_dir_owner",
              word("same", "any"),
              "same",
              "Whom the data directory may belong to, if it exists: the user that the broker runs as, or root. With another owner, who could read and replace all data, the broker does not start; with `any` it does, with a warning."));
  static final Setting<Optional<Integer>> SHARDS =
      MACHINE.add(
          Setting.of(
              "shards",
              orWord("auto", wholeNumber("", 1, 1024)),
              "auto",
              "The number of event loops that share queues and connections; `auto` means one per processor. It may change from one start to the next."));

  static final Setting<String> DURABILITY_SYNC =
      MACHINE.add(
          Setting.of(
              "durability.sync",
              word("always", "never"),
              "always",
              "What a confirm of a persistent message waits for: `always` for the disk, `never` for the operating system only ([durability](durability.md))."));
  static final Setting<Integer> DURABILITY_SEGMENT_SIZE =
      MACHINE.add(
          Setting.of(
              "durability.segment_size",
              bytes(1 << 20, 1 << 30),
              "67108864",
              "The size of a message log file in bytes, after which the next one begins."));
  static final Setting<Integer> DEATH_JOURNAL_SIZE =
      MACHINE.add(
          Setting.of(
              "death_journal.size",
              wholeNumber("deaths", 0, 100_000),
              Integer.toString(DeathJournal.DEFAULT_SIZE),
              "The number of entries that each shard keeps in the [death journal](death-journal.md); 0 for none."));

  static final Setting<Optional<String>> EVENT_EXCHANGE_VHOST =
      MACHINE.add(
          Setting.of(
              "event_exchange.vhost",
              orWord("none", text()),
              "none",
              "The virtual host whose exchange `amq.rabbitmq.event` gets the [events](event-exchange.md) of the broker, which are about all virtual hosts; `none`: no event is published."));

  /** All keys by what they are about, in the order of the documentation. */
  public static final List<Section> SECTIONS =
      List.of(
          LISTENERS,
          CONNECTIONS,
          LOGIN,
          PasswordKeys.SECTION,
          FIRST_START,
          DefaultPolicyKeys.SECTION,
          DefaultLimitKeys.SECTION,
          DefaultUserKeys.SECTION,
          ObjectDefaultKeys.SECTION,
          DEFINITIONS,
          ManagementKeys.SECTION,
          PrometheusKeys.SECTION,
          LogKeys.SECTION,
          ClusterKeys.SECTION,
          TracingKeys.SECTION,
          DecoderKeys.SECTION,
          ALARMS,
          MACHINE);

  /** All keys, in the order of the documentation. */
  public static final List<Key<?>> ALL =
      SECTIONS.stream().<Key<?>>flatMap(section -> section.keys().stream()).toList();

  /** The keys that can be changed while the broker runs. */
  public static final Set<Key<?>> CHANGEABLE =
      SECTIONS.stream()
          .<Key<?>>flatMap(section -> section.changeable().stream())
          .collect(Collectors.toUnmodifiableSet());

  /** What the environment variables of keys begin with. */
  public static final String ENVIRONMENT_PREFIX = "MAYFLY_";

  /** Environment variables of RabbitMQ and its image, with the keys that they set. */
  public static final Map<String, String> VARIABLES_OF_RABBITMQ =
      Map.of(
          "RABBITMQ_DEFAULT_USER", DEFAULT_USER.name(),
          "RABBITMQ_DEFAULT_PASS", DEFAULT_PASS.name(),
          "RABBITMQ_DEFAULT_VHOST", DEFAULT_VHOST.name(),
          "RABBITMQ_NODENAME", ClusterKeys.NODE_NAME.name());

  /** Names of earlier versions, which are still accepted, with those of today. */
  private static final Map<String, String> FORMER_NAMES =
      Map.of(
          "dead-letter.enabled", "dead_letter.enabled",
          "ttl.minimum_queue_ttl_ms", "queue_expires.minimum");

  /** Other names that RabbitMQ has for keys. Source: its schema, versions 3.13 and 4. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "listeners.ssl", "listeners.ssl.default",
          "max_channels_per_connection", "channel_max",
          "max_connections", "connection_max",
          "management.load_definitions", "load_definitions",
          "definitions.local.path", "load_definitions",
          "management.listener.port", "management.tcp.port",
          "management.listener.ip", "management.tcp.ip");

  private static final List<String> NAMES_OF_SECRETS =
      List.of("pass", "secret", "token", "credential", "cookie", "authorization");

  private Keys() {}

  /** Returns the key of this name, or the family that it is a member of. */
  public static Optional<Key<?>> find(String key) {
    return ALL.stream().filter(candidate -> candidate.matches(key)).<Key<?>>map(k -> k).findFirst();
  }

  /**
   * Returns the key that an environment variable sets: {@code MAYFLY_} and the key in upper case
   * with underscores for dots. The operator's part of a family's key is taken in lower case.
   */
  public static Optional<String> ofEnvironmentVariable(String variable) {
    for (Key<?> key : ALL) {
      if (key instanceof Setting<?> setting && environmentName(setting.name()).equals(variable)) {
        return Optional.of(setting.name());
      }
    }
    for (String former : FORMER_NAMES.keySet()) {
      if (environmentName(former).equals(variable)) {
        return Optional.of(former);
      }
    }
    for (Key<?> key : ALL) {
      if (key instanceof KeyFamily<?> family) {
        String prefix = environmentName(family.prefix());
        int end = variable.length() - family.suffix().length();
        if (variable.startsWith(prefix)
            && variable.substring(Math.max(0, end)).equals(upperCase(family.suffix()))
            && end > prefix.length()) {
          String name = variable.substring(prefix.length(), end).toLowerCase(Locale.ROOT);
          return Optional.of(family.prefix() + name + family.suffix());
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the name of a key that may be written by a former name or an alias. */
  public static String current(String written) {
    return FORMER_NAMES.getOrDefault(written, ALIASES.getOrDefault(written, written));
  }

  /**
   * Returns whether the value of a key is a secret, which is never shown. For a key that does not
   * exist, such as a mistyped one, its name decides.
   */
  public static boolean isSecret(String written) {
    return find(current(written))
        .map(Key::isSecret)
        .orElseGet(() -> NAMES_OF_SECRETS.stream().anyMatch(written::contains));
  }

  /** Returns whether a key had this name in earlier versions only. */
  public static boolean isFormer(String written) {
    return FORMER_NAMES.containsKey(written);
  }

  /** Returns the environment variable that sets a key. */
  static String environmentName(String key) {
    return ENVIRONMENT_PREFIX + upperCase(key);
  }

  private static String upperCase(String key) {
    return key.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  /**
   * Returns the known key that a mistyped one probably meant: at most a third of it is different.
   */
  public static Optional<String> nearest(String unknown) {
    return ALL.stream()
        .map(key -> candidate(key, unknown))
        .filter(candidate -> candidate.distance <= NearestName.mostEdits(candidate.compared))
        .min(Comparator.comparingInt(Candidate::distance))
        .map(Candidate::key);
  }

  private static Candidate candidate(Key<?> key, String unknown) {
    if (key instanceof KeyFamily<?> family && family.suffix().isEmpty()) {
      int name = unknown.lastIndexOf('.') + 1;
      String prefix = unknown.substring(0, name);
      return new Candidate(
          family.prefix() + unknown.substring(name),
          NearestName.edits(prefix, family.prefix()),
          prefix.length());
    }
    return new Candidate(key.name(), NearestName.edits(unknown, key.name()), unknown.length());
  }

  private record Candidate(String key, int distance, int compared) {}
}
