package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.deathjournal.DeathJournal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * All settings of a broker, typed and complete. Immutable.
 *
 * @param listeners by name; empty if the broker is to listen nowhere
 * @param tlsListeners the same for TLS
 * @param tls what they need
 * @param definitions what is imported at the start
 * @param clusterName the name of the cluster, set at each start; empty if it stays as it is
 * @param nodeName the name of this node; empty if it follows from that of the host
 * @param cluster the node as a member of a cluster
 * @param dataDir absolute
 * @param dataDirOfAnyOwner whether that may belong to another user
 * @param shards the number of event loops, 1 to 1024
 * @param deathJournalSize how many deaths are kept, 0 or more
 * @param deathJournalBytes how many bytes of them
 * @param passphrase by which secrets are encrypted
 * @param eventVhost the virtual host whose event exchange tells what happens in the broker; empty
 *     if none does
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
    PrometheusSettings prometheus,
    LogSettings log,
    TracingSettings tracing,
    DurabilitySettings durability,
    MemorySettings memory,
    DiskSettings disk,
    ClockSettings clock,
    StandbySettings standby,
    Optional<String> clusterName,
    Optional<String> nodeName,
    ClusterSettings cluster,
    Path dataDir,
    boolean dataDirOfAnyOwner,
    int shards,
    int deathJournalSize,
    long deathJournalBytes,
    Passphrase passphrase,
    Optional<String> eventVhost) {
  static final Section SECTION = new Section("Machine");

  static final Setting<Optional<String>> CLUSTER_NAME =
      SECTION.add(
          Setting.of(
              "cluster_name",
              orWord("none", text()),
              "none",
              "The name of the cluster, which is set at each start; clients and the API show"
                  + " it. With `none` it stays as it is, and is first the name of the node, in a"
                  + " cluster of the one with which it began."));

  static final Setting<Path> DATA_DIR =
      SECTION.add(
          Setting.of(
              "data_dir",
              path(),
              "./mayfly-data",
              "The data directory. Only one broker at a time can use it."));

  static final Setting<String> DATA_DIR_OWNER =
      SECTION.add(
          Setting.of(
              "data_dir_owner",
              word("same", "any"),
              "same",
              "Whom the data directory may belong to, if it exists: the user that the broker"
                  + " runs as, or root. With another owner, who could read and replace all data,"
                  + " the broker does not start; with `any` it does, with a warning."));

  static final Setting<Optional<Integer>> SHARDS =
      SECTION.add(
          Setting.of(
              "shards",
              orWord("auto", wholeNumber("", 1, 1024)),
              "auto",
              "The number of event loops that share queues and connections; `auto` means one"
                  + " per processor. It may change from one start to the next."));

  static final Setting<Integer> DEATH_JOURNAL_SIZE =
      SECTION.add(
          Setting.of(
              "death_journal.size",
              wholeNumber("deaths", 0, 10_000_000),
              Integer.toString(DeathJournal.DEFAULT_SIZE),
              "The largest number of entries that the broker keeps in the [death"
                  + " journal](death-journal.md); 0 for none."));

  static final Setting<Integer> DEATH_JOURNAL_BYTES =
      SECTION.add(
          Setting.of(
              "death_journal.bytes",
              bytes(1 << 20, 1 << 30),
              "64MiB",
              "The largest size of the files of the [death journal](death-journal.md)."));

  static final Setting<Optional<String>> EVENT_EXCHANGE_VHOST =
      SECTION.add(
          Setting.of(
              "event_exchange.vhost",
              orWord("none", text()),
              "none",
              "The virtual host whose exchange `amq.rabbitmq.event` gets the"
                  + " [events](event-exchange.md) of the broker, which are about all virtual hosts;"
                  + " `none`: no event is published."));

  /**
   * Gives the values their types.
   *
   * @param values each of which is of the type of its key
   * @throws ConfigException if some of them make no sense together, or in a policy
   */
  static ServerSettings of(SettingValues values) throws ConfigException {
    Path dataDir = absolute(values.get(DATA_DIR));
    ClockSettings clock = ClockSettings.of(values);
    AuthSettings auth = AuthSettings.of(values);
    ManagementSettings management = ManagementSettings.of(values);
    management.pageLogin().require(auth);
    return new ServerSettings(
        listeners(values.members(TcpSettings.TCP_LISTENERS)),
        listeners(values.members(TcpSettings.TLS_LISTENERS)),
        TcpSettings.tls(values),
        TcpSettings.of(values),
        ProtocolSettings.of(values),
        auth,
        DefaultsSettings.of(values),
        DefinitionsSettings.of(values),
        management,
        PrometheusSettings.of(values),
        LogSettings.of(values, dataDir),
        TracingSettings.of(values),
        DurabilitySettings.of(values),
        MemorySettings.of(values),
        DiskSettings.of(values),
        clock,
        StandbySettings.of(values),
        values.get(CLUSTER_NAME),
        values.get(ClusterSettings.NODE_NAME),
        ClusterSettings.of(values),
        dataDir,
        values.get(DATA_DIR_OWNER).equals("any"),
        values
            .get(SHARDS)
            .orElseGet(() -> clock.manual() ? 1 : Runtime.getRuntime().availableProcessors()),
        values.get(DEATH_JOURNAL_SIZE),
        values.get(DEATH_JOURNAL_BYTES),
        DecoderKeys.passphraseOf(values),
        values.get(EVENT_EXCHANGE_VHOST));
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

  private static Path absolute(Path path) {
    return path.toAbsolutePath().normalize();
  }
}
