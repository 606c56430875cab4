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
import java.util.stream.Stream;

/**
 * Every key there is, declared once: name, type with its range, default, and a line of
 * documentation. A key stands here when the broker honours it, and not before.
 */
public final class Keys {
  /** RabbitMQ's own ceiling for max_message_size, 512 MiB. */
  private static final int LARGEST_MESSAGE = 512 << 20;

  static final Setting<String> NO_TCP_LISTENERS =
      Setting.withoutDefault(
          "listeners.tcp", word("none"), "Set to none to listen on no TCP port at all.");
  static final KeyFamily<Optional<ListenAddress>> TCP_LISTENERS =
      new KeyFamily<>(
          "listeners.tcp.",
          "$name",
          orWord("none", listenAddress()),
          Map.of("listeners.tcp.default", "5672"),
          "A port, or an address and a port, where clients connect; port 0 lets the system"
              + " choose.");

  static final KeyFamily<Optional<ListenAddress>> TLS_LISTENERS =
      new KeyFamily<>(
          "listeners.ssl.",
          "$name",
          orWord("none", listenAddress()),
          Map.of("listeners.ssl.default", "none"),
          "The same for clients that speak TLS; their usual port is 5671.");
  static final TlsKeys TLS = TlsKeys.of("ssl_options", "listeners.ssl");
  static final Setting<CertificateLogin> CERTIFICATE_LOGIN =
      Setting.of(
          "ssl_cert_login_from",
          constant(CertificateLogin.class),
          "distinguished_name",
          "What of a client's certificate is the name of its user, for EXTERNAL.");

  static final Setting<Integer> BACKLOG =
      Setting.of(
          "tcp_listen_options.backlog",
          wholeNumber("connections", 1, 65_535),
          "1024",
          "Connections that may wait to be accepted.");
  static final Setting<Boolean> NODELAY =
      Setting.of(
          "tcp_listen_options.nodelay",
          bool(),
          "true",
          "Sends small packets at once (TCP_NODELAY).");
  static final Setting<Boolean> KEEPALIVE =
      Setting.of(
          "tcp_listen_options.keepalive",
          bool(),
          "false",
          "Lets the system probe idle connections (SO_KEEPALIVE).");
  static final Setting<Optional<Integer>> SEND_BUFFER =
      Setting.of(
          "tcp_listen_options.sndbuf",
          orWord("auto", bytes(1024, 1 << 30)),
          "auto",
          "Bytes of the socket's send buffer; auto leaves it to the system.");
  static final Setting<Optional<Integer>> RECEIVE_BUFFER =
      Setting.of(
          "tcp_listen_options.recbuf",
          orWord("auto", bytes(1024, 1 << 30)),
          "auto",
          "Bytes of the socket's receive buffer; auto leaves it to the system.");

  static final Setting<Boolean> PROXY_PROTOCOL =
      Setting.of(
          "proxy_protocol",
          bool(),
          "false",
          "Whether connections begin with a header of the PROXY protocol, with the client's"
              + " address.");

  static final Setting<Integer> HEARTBEAT =
      Setting.of(
          "heartbeat",
          wholeNumber("seconds", 0, 65_535),
          "60",
          "Heartbeat interval offered to clients, in seconds; 0 offers none.");
  static final Setting<Integer> FRAME_MAX =
      Setting.of(
          "frame_max",
          zeroOr("no limit", "bytes", 4096, LARGEST_MESSAGE),
          "131072",
          "Largest frame offered to clients, in bytes.");
  static final Setting<Integer> INITIAL_FRAME_MAX =
      Setting.of(
          "initial_frame_max",
          wholeNumber("bytes", 4096, LARGEST_MESSAGE),
          "8192",
          "Largest frame accepted before a client has logged in, in bytes.");
  static final Setting<Integer> CHANNEL_MAX =
      Setting.of(
          "channel_max",
          wholeNumber("channels", 0, 65_535),
          "2047",
          "Channels that a connection may open; 0 leaves it to the client.");
  static final Setting<Optional<Integer>> CONNECTION_MAX =
      Setting.of(
          "connection_max",
          orWord("infinity", wholeNumber("connections", 0, Integer.MAX_VALUE)),
          "infinity",
          "Connections that may be open on this node.");
  static final Setting<Optional<Integer>> CHANNEL_MAX_PER_NODE =
      Setting.of(
          "channel_max_per_node",
          orWord("infinity", wholeNumber("channels", 1, Integer.MAX_VALUE)),
          "infinity",
          "Channels that may be open on this node, on all connections together.");
  static final Setting<Optional<Integer>> CONSUMER_MAX_PER_CHANNEL =
      Setting.of(
          "consumer_max_per_channel",
          orWord("infinity", wholeNumber("consumers", 1, Integer.MAX_VALUE)),
          "infinity",
          "Consumers that a channel may have.");
  static final Setting<Optional<Integer>> VHOST_MAX =
      Setting.of(
          "vhost_max",
          orWord("infinity", wholeNumber("virtual hosts", 0, Integer.MAX_VALUE)),
          "infinity",
          "Virtual hosts that there may be.");
  static final Setting<Optional<Integer>> CLUSTER_QUEUE_LIMIT =
      Setting.of(
          "cluster_queue_limit",
          orWord("infinity", wholeNumber("queues", 0, Integer.MAX_VALUE)),
          "infinity",
          "Queues that there may be, in all virtual hosts together.");
  static final Setting<Optional<Integer>> CLUSTER_EXCHANGE_LIMIT =
      Setting.of(
          "cluster_exchange_limit",
          orWord("infinity", wholeNumber("exchanges", 0, Integer.MAX_VALUE)),
          "infinity",
          "Exchanges that there may be, in all virtual hosts together, with the broker's own.");
  static final Setting<Double> VHOST_METADATA_LIMIT =
      Setting.of(
          "vhost_metadata_limit.relative",
          fraction(1),
          "0.2",
          "Share of the largest heap that exchanges, queues and bindings of a virtual host may"
              + " take.");
  static final Setting<Double> CLUSTER_METADATA_LIMIT =
      Setting.of(
          "cluster_metadata_limit.relative",
          fraction(1),
          "0.25",
          "The same for all virtual hosts together, with users, permissions and parameters.");
  static final Setting<Integer> MAX_MESSAGE_SIZE =
      Setting.of(
          "max_message_size",
          bytes(1, LARGEST_MESSAGE),
          "134217728",
          "Largest message body, in bytes; at most 512 MiB.");
  static final Setting<Long> MAX_TRANSACTION_SIZE =
      Setting.of(
          "max_transaction_size",
          largeBytes(),
          "536870912",
          "Memory that a transaction may take until it is committed, in bytes.");
  static final Setting<Double> CLIENT_MEMORY =
      Setting.of(
          "client_memory_limit.relative",
          fraction(1),
          "0.12",
          "Share of the largest heap for connections, channels, consumers, transactions, incomplete"
              + " messages.");
  static final Setting<Integer> HANDSHAKE_TIMEOUT =
      Setting.of(
          "handshake_timeout",
          wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
          "10000",
          "Time from accepting a connection to its being open, in milliseconds.");

  static final Setting<Integer> CONSUMER_TIMEOUT =
      Setting.of(
          "consumer_timeout",
          zeroOr("no limit", "milliseconds", 1, Integer.MAX_VALUE),
          "1800000",
          "Time that a delivery may stay unacknowledged, in milliseconds; 0 for ever.");

  static final KeyFamily<String> AUTH_MECHANISMS =
      new KeyFamily<>(
          "auth_mechanisms.",
          "$n",
          word("PLAIN", "AMQPLAIN", "EXTERNAL", "ANONYMOUS"),
          Map.of("auth_mechanisms.1", "PLAIN", "auth_mechanisms.2", "AMQPLAIN"),
          "SASL mechanisms offered to clients.");

  /** One backend needs no code: any other value is refused. */
  private static final KeyFamily<String> AUTH_BACKENDS =
      new KeyFamily<>(
          "auth_backends.",
          "$n",
          word("internal", "rabbit_auth_backend_internal")
              .describedAs("internal, the only authentication backend here"),
          Map.of("auth_backends.1", "internal"),
          "Where users, their passwords and permissions are: in the broker.");

  static final Setting<String> ANONYMOUS_LOGIN_USER =
      Setting.of(
          "anonymous_login_user",
          text(),
          "guest",
          "The user that a client logged in by ANONYMOUS becomes.");
  static final Setting<String> ANONYMOUS_LOGIN_PASS =
      Setting.of("anonymous_login_pass", secretText(), "guest", "That user's password.");
  static final Setting<String> NO_LOOPBACK_USERS =
      Setting.withoutDefault(
          "loopback_users", word("none"), "Set to none to let every user connect from anywhere.");
  static final KeyFamily<Boolean> LOOPBACK_USERS =
      new KeyFamily<>(
          "loopback_users.",
          "$user",
          bool(),
          Map.of("loopback_users.guest", "true"),
          "Whether a user may connect from this machine only.");

  static final Setting<String> DEFAULT_VHOST =
      Setting.of("default_vhost", text(), "/", "Virtual host created on first start.");
  static final Setting<String> DEFAULT_USER =
      Setting.of("default_user", text(), "guest", "User created on first start.");
  static final Setting<String> DEFAULT_PASS =
      Setting.of("default_pass", secretText(), "guest", "That user's password.");
  static final KeyFamily<Boolean> DEFAULT_USER_TAGS =
      new KeyFamily<>(
          "default_user_tags.",
          "$tag",
          bool(),
          Map.of("default_user_tags.administrator", "true"),
          "Whether that user has a tag.");
  static final Setting<String> DEFAULT_CONFIGURE =
      Setting.of(
          "default_permissions.configure",
          regularExpression(),
          ".*",
          "Names of what that user may declare and delete.");
  static final Setting<String> DEFAULT_WRITE =
      Setting.of(
          "default_permissions.write",
          regularExpression(),
          ".*",
          "Names of what that user may publish to.");
  static final Setting<String> DEFAULT_READ =
      Setting.of(
          "default_permissions.read",
          regularExpression(),
          ".*",
          "Names of what that user may consume from.");

  static final Setting<String> DEFAULT_QUEUE_TYPE =
      Setting.of(
          "default_queue_type",
          word("classic", "quorum", "stream"),
          "classic",
          "What a queue is that is declared without a type.");

  static final Setting<Optional<Path>> LOAD_DEFINITIONS =
      Setting.of(
          "load_definitions",
          orWord("none", path()),
          "none",
          "A file with definitions, or a directory of them, imported at each start.");
  static final Setting<Boolean> SKIP_DEFINITIONS_IF_UNCHANGED =
      Setting.of(
          "definitions.skip_if_unchanged",
          bool(),
          "false",
          "Whether they are not imported if they are the same as the last time.");
  static final Setting<Boolean> STRICT_DEFINITIONS =
      Setting.of(
          "definitions.strict",
          bool(),
          "false",
          "Whether one definition that is wrong refuses the start; else it is left out, with a"
              + " warning.");

  static final Setting<Double> MEMORY_WATERMARK_RELATIVE =
      Setting.of(
          "vm_memory_high_watermark.relative",
          fraction(1),
          "0.8",
          "Share of the largest heap above which publishers are blocked.");
  static final Setting<Optional<Long>> MEMORY_WATERMARK_ABSOLUTE =
      Setting.of(
          "vm_memory_high_watermark.absolute",
          orWord("none", largeBytes()),
          "none",
          "The same in bytes; it counts instead of the share.");
  static final Setting<Double> MEMORY_WATERMARK_PAGING_RATIO =
      Setting.of(
          "vm_memory_high_watermark_paging_ratio",
          fraction(1),
          "0.2",
          "Share of that watermark above which contents of messages live on disk only.");
  static final Setting<Integer> MEMORY_MONITOR_INTERVAL =
      Setting.of(
          "memory_monitor_interval",
          wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
          "2500",
          "Time between two looks at the memory in use, in milliseconds.");
  static final Setting<Long> DISK_FREE_ABSOLUTE =
      Setting.of(
          "disk_free_limit.absolute",
          largeBytes(),
          "50MB",
          "Free bytes of the data directory's disk below which publishers are blocked.");
  static final Setting<Optional<Double>> DISK_FREE_RELATIVE =
      Setting.of(
          "disk_free_limit.relative",
          orWord("none", fraction(1_000)),
          "none",
          "The same as a multiple of the machine's memory; it counts instead of the bytes.");

  static final Setting<Optional<String>> CLUSTER_NAME =
      Setting.of(
          "cluster_name",
          orWord("none", text()),
          "none",
          "The name of the cluster, which is set at each start; none leaves it as it is.");
  static final Setting<Path> DATA_DIR =
      Setting.of(
          "data_dir", path(), "./mayfly-data", "Directory that holds everything the broker keeps.");
  static final Setting<String> DATA_DIR_OWNER =
      Setting.of(
          "data_dir_owner",
          word("same", "any"),
          "same",
          "Whom an existing data directory may belong to: the same user that the broker runs as, or"
              + " root; any user, with a warning.");
  static final Setting<Optional<Integer>> SHARDS =
      Setting.of(
          "shards",
          orWord("auto", wholeNumber("", 1, 1024)),
          "auto",
          "Event loops that share the queues and connections; auto takes one per processor.");

  static final Setting<String> DURABILITY_SYNC =
      Setting.of(
          "durability.sync",
          word("always", "never"),
          "always",
          "What a confirm of a persistent message waits for: always for the disk, never for the"
              + " operating system only.");
  static final Setting<Integer> DURABILITY_SEGMENT_SIZE =
      Setting.of(
          "durability.segment_size",
          bytes(1 << 20, 1 << 30),
          "67108864",
          "Bytes of a file of the message log, after which the next one begins.");
  static final Setting<Integer> DEATH_JOURNAL_SIZE =
      Setting.of(
          "death_journal.size",
          wholeNumber("deaths", 0, 100_000),
          Integer.toString(DeathJournal.DEFAULT_SIZE),
          "The last deaths of messages that each shard remembers, for list_deaths; 0 for none.");

  static final Setting<Optional<String>> EVENT_EXCHANGE_VHOST =
      Setting.of(
          "event_exchange.vhost",
          orWord("none", text()),
          "none",
          "Virtual host whose amq.rabbitmq.event gets the broker's events; none publishes none.");

  /** All keys, in the order of the documentation. */
  public static final List<Key<?>> ALL =
      Stream.<List<? extends Key<?>>>of(
              List.of(NO_TCP_LISTENERS, TCP_LISTENERS, TLS_LISTENERS),
              TLS.keys(),
              List.of(
                  CERTIFICATE_LOGIN,
                  BACKLOG,
                  NODELAY,
                  KEEPALIVE,
                  SEND_BUFFER,
                  RECEIVE_BUFFER,
                  PROXY_PROTOCOL,
                  HEARTBEAT,
                  FRAME_MAX,
                  INITIAL_FRAME_MAX,
                  CHANNEL_MAX,
                  CONNECTION_MAX,
                  CHANNEL_MAX_PER_NODE,
                  CONSUMER_MAX_PER_CHANNEL,
                  VHOST_MAX,
                  CLUSTER_QUEUE_LIMIT,
                  CLUSTER_EXCHANGE_LIMIT,
                  VHOST_METADATA_LIMIT,
                  CLUSTER_METADATA_LIMIT,
                  MAX_MESSAGE_SIZE,
                  MAX_TRANSACTION_SIZE,
                  CLIENT_MEMORY,
                  HANDSHAKE_TIMEOUT,
                  CONSUMER_TIMEOUT,
                  AUTH_MECHANISMS,
                  AUTH_BACKENDS,
                  ANONYMOUS_LOGIN_USER,
                  ANONYMOUS_LOGIN_PASS,
                  NO_LOOPBACK_USERS,
                  LOOPBACK_USERS,
                  DEFAULT_VHOST,
                  DEFAULT_USER,
                  DEFAULT_PASS,
                  DEFAULT_USER_TAGS,
                  DEFAULT_CONFIGURE,
                  DEFAULT_WRITE,
                  DEFAULT_READ,
                  DEFAULT_QUEUE_TYPE,
                  LOAD_DEFINITIONS,
                  SKIP_DEFINITIONS_IF_UNCHANGED,
                  STRICT_DEFINITIONS),
              ManagementKeys.keys(),
              PrometheusKeys.keys(),
              PasswordKeys.keys(),
              LogKeys.keys(),
              TracingKeys.keys(),
              DecoderKeys.keys(),
              List.of(
                  MEMORY_WATERMARK_RELATIVE,
                  MEMORY_WATERMARK_ABSOLUTE,
                  MEMORY_WATERMARK_PAGING_RATIO,
                  MEMORY_MONITOR_INTERVAL,
                  DISK_FREE_ABSOLUTE,
                  DISK_FREE_RELATIVE,
                  CLUSTER_NAME,
                  DATA_DIR,
                  DATA_DIR_OWNER,
                  SHARDS,
                  DURABILITY_SYNC,
                  DURABILITY_SEGMENT_SIZE,
                  DEATH_JOURNAL_SIZE,
                  EVENT_EXCHANGE_VHOST),
              ClusterKeys.keys(),
              DefaultPolicyKeys.keys(),
              DefaultLimitKeys.keys(),
              DefaultUserKeys.keys(),
              ObjectDefaultKeys.keys())
          .<Key<?>>flatMap(List::stream)
          .toList();

  /** The keys that can be changed while the broker runs. */
  public static final Set<Key<?>> CHANGEABLE =
      Stream.<List<? extends Key<?>>>of(
              List.of(
                  HEARTBEAT,
                  FRAME_MAX,
                  INITIAL_FRAME_MAX,
                  CHANNEL_MAX,
                  CONNECTION_MAX,
                  CHANNEL_MAX_PER_NODE,
                  CONSUMER_MAX_PER_CHANNEL,
                  VHOST_MAX,
                  CLUSTER_QUEUE_LIMIT,
                  CLUSTER_EXCHANGE_LIMIT,
                  VHOST_METADATA_LIMIT,
                  CLUSTER_METADATA_LIMIT,
                  MAX_MESSAGE_SIZE,
                  MAX_TRANSACTION_SIZE,
                  CLIENT_MEMORY,
                  HANDSHAKE_TIMEOUT,
                  CONSUMER_TIMEOUT,
                  NO_LOOPBACK_USERS,
                  LOOPBACK_USERS,
                  MEMORY_WATERMARK_RELATIVE,
                  MEMORY_WATERMARK_ABSOLUTE,
                  DISK_FREE_ABSOLUTE,
                  DISK_FREE_RELATIVE),
              LogKeys.changeable(),
              DecoderKeys.keys(),
              TLS.keys(),
              ManagementKeys.TLS.keys(),
              List.of(ManagementKeys.ALLOWED_HOSTS),
              PrometheusKeys.TLS.keys(),
              ClusterKeys.TLS.keys())
          .<Key<?>>flatMap(List::stream)
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
