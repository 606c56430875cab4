package io.mayflymq.server.boot;

import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.ParameterCipher;
import io.mayflymq.core.admin.Parameters;
import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.deathjournal.DiskDeathJournal;
import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataException;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.runtime.SteadyClock;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.backup.Backup;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.StoreAlarms;
import io.mayflymq.core.store.disk.StoreCheck;
import io.mayflymq.core.store.disk.StoreOptions;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.cluster.BrokerStart;
import io.mayflymq.server.cluster.ClusterNode;
import io.mayflymq.server.cluster.ClusterSetup;
import io.mayflymq.server.cluster.UntilConfirmed;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.DefaultsSettings;
import io.mayflymq.server.config.DefinitionsSettings;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.config.Passphrase;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.definitions.BrokerDefinitions;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.definitions.DefinitionsLoader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.memory.DirectMemory;
import io.mayflymq.server.net.AmqpServer.Served;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import io.mayflymq.server.standby.Standby;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker with its data directory: metadata, and the messages of all partitions. */
final class Storage implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Storage.class);
  private static final String RESET_DIRECTORY = "messages.reset";
  private static final String DEATHS_DIRECTORY = "deaths";
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** For how long a node that begins a cluster asks it for what every broker has. */
  private static final long CREATION_MILLIS = 60_000;

  private static final long CREATION_PAUSE_MILLIS = 500;

  private final MetadataJournal metadata;
  private final ClusterNode cluster;
  private final Backup backup;
  private final FileGate gate;
  private final Partitions partitions;
  private final Served served;
  private final Administration administration;
  private final BrokerDefinitions definitions;
  private final Broker.Recovered recovered;
  private final long recoveryMillis;

  /**
   * How it is opened.
   *
   * @param settings the settings of the broker
   * @param acceptsLoss whether it goes on without what is missing or damaged
   * @param tracer what is told of messages, for traces; null if nothing is
   * @param clock what its deadlines go by
   * @param start the start that it belongs to
   */
  record Options(
      ServerSettings settings,
      boolean acceptsLoss,
      MessageTracer tracer,
      SteadyClock clock,
      BrokerStart start) {}

  /**
   * What is there before the broker.
   *
   * @param metadata the metadata of this node
   * @param cluster the cluster that it belongs to; null if it is alone
   * @param gate that through which all changes of files pass
   */
  private record Opened(MetadataJournal metadata, ClusterNode cluster, FileGate gate) {
    MetadataLog log() {
      return cluster == null ? metadata : cluster.metadata();
    }

    List<MetadataCommand> recover() {
      return cluster == null ? metadata.recover() : cluster.recovered();
    }
  }

  private Storage(
      Opened opened, Options options, EventLoops loops, Alarms alarms, BrokerThreads threads)
      throws StartException {
    long started = System.nanoTime();
    ServerSettings settings = options.settings();
    boolean acceptsLoss = options.acceptsLoss();
    this.metadata = opened.metadata();
    this.cluster = opened.cluster();
    this.gate = opened.gate();
    this.backup = new Backup(settings.dataDir(), gate);
    SteadyClock clock = options.clock();
    DiskStores stores =
        new DiskStores(options(settings, acceptsLoss), new Raising(alarms), threads, opened.gate());
    stores.belongTo(metadata.directory(), metadata::sequence);
    this.partitions =
        new Partitions(
            new Shards(loops.all(), clock, threads.faults()),
            settings.shards(),
            stores::create,
            deathJournal(settings, threads));
    Broker broker = new Broker(partitions, opened.log(), clock, settings.eventVhost().orElse(null));
    if (cluster != null) {
      cluster.connect(broker, new DiskReplicas(stores));
    }
    broker.setDefaultQueueType(settings.defaults().queueType());
    broker.setDefaults(settings.defaults().objects());
    broker.setStamps(settings.defaults().stamps(NodeName.value(), clock));
    broker.setTellsSentTime(settings.defaults().sentTime());
    broker.setTracer(options.tracer());
    broker.setMeasuresWaits(settings.prometheus().waits());
    broker.setLimits(settings.protocol().objects());
    broker.setLowOnMemory(alarms::isMemoryScarce);
    AccessControl accessControl =
        new AccessControl(SecurityState.EMPTY, settings.auth().loopbackUsers(), clock);
    Sessions sessions = new Sessions(accessControl);
    sessions.setNodeLimits(NodeName.value(), settings.protocol().node());
    this.administration =
        new Administration(
            broker, opened.log(), accessControl, sessions, settings.defaults().ofVhosts());
    administration.users().setPasswordRule(settings.auth().passwords());
    this.served =
        new Served(broker, accessControl, sessions, alarms, administration.globalParameters());
    this.definitions = new BrokerDefinitions(broker, administration);
    List<MetadataCommand> kept = opened.recover();
    boolean isNew = administration.recover(kept);
    if (cluster == null) {
      this.recovered = broker.recover(kept);
    } else {
      this.recovered = broker.recoverResting(kept);
      cluster.takePart(broker, administration, options.start());
    }
    if (cluster == null) {
      createMissing(isNew, options);
    } else {
      createMissingInCluster(isNew, options);
    }
    this.recoveryMillis = (System.nanoTime() - started) / NANOS_PER_MILLI;
  }

  private void createMissingInCluster(boolean isNew, Options options) throws StartException {
    if (cluster.member() == QueuePlace.FIRST_MEMBER) {
      new UntilConfirmed(options.start(), CREATION_MILLIS, CREATION_PAUSE_MILLIS)
          .make(() -> createMissing(isNew, options));
      return;
    }
    try {
      createMissing(isNew, options);
    } catch (CompletionException e) {
      options.start().requireGoingOn();
      // It has just joined. The node with which the cluster began creates all this.
      LOGGER.warn("this node does not create what every broker has: {}", e.getCause().getMessage());
    }
  }

  private void createMissing(boolean isNew, Options options) {
    if (isNew && options.settings().definitions().file().isEmpty()) {
      if (options.acceptsLoss()) {
        LostMetadata.warnOfDefaultUser(options.settings().defaults());
      }
      createDefaults(options.settings().defaults());
    }
    ClusterId.ensure(administration.globalParameters());
    if (cluster != null
        && cluster.member() == QueuePlace.FIRST_MEMBER
        && administration.globalParameters().get(ClusterName.PARAMETER) == null) {
      // Without a name each node would show its own.
      setClusterName(Optional.of(NodeName.value()));
    }
  }

  private void createDefaults(DefaultsSettings defaults) {
    administration.createDefaults(
        defaults.vhost(),
        new User(
            defaults.user(), PasswordHash.of(defaults.password()), List.copyOf(defaults.tags())),
        defaults.configure(),
        defaults.write(),
        defaults.read());
  }

  /**
   * Opens the data directory, or creates its content, and recovers queues and messages.
   *
   * @param alarms raised while messages cannot be written
   * @param threads makes those that write
   * @throws DataRefusedException if files are missing or damaged and that was not accepted; then
   *     nothing has been changed
   * @throws StartException if any of it cannot be read or written; then nothing is held
   */
  static Storage open(Options options, EventLoops loops, Alarms alarms, BrokerThreads threads)
      throws StartException {
    ServerSettings settings = options.settings();
    MetadataJournal.Expected expected = checkFiles(settings, options.acceptsLoss());
    FileGate gate = new FileGate();
    MetadataJournal metadata = null;
    ClusterNode cluster = null;
    try {
      metadata =
          MetadataJournal.open(
              settings.dataDir(), gate, expected, threads, why -> metadataHealth(alarms, why));
      if (settings.cluster().listener().isPresent()) {
        ClusterSetup setup =
            new ClusterSetup(settings.cluster(), NodeName.value(), settings.dataDir());
        cluster = ClusterNode.join(setup, metadata, metadata.recover(), loops, threads);
      }
      return new Storage(new Opened(metadata, cluster, gate), options, loops, alarms, threads);
    } catch (MetadataException | StoreException | StartException e) {
      throw abandon(metadata, cluster, e);
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException cause) {
        throw abandon(metadata, cluster, cause);
      }
      throw e;
    }
  }

  /**
   * @return what the messages say about metadata
   */
  private static MetadataJournal.Expected checkFiles(ServerSettings settings, boolean acceptsLoss)
      throws StartException {
    Path dataDir = settings.dataDir();
    try {
      finishReset(dataDir);
      Backup.removeRest(dataDir);
      DataFaults faults = DataFaults.of(dataDir, false);
      if (faults.refuses() && !acceptsLoss) {
        throw faults.refusal();
      }
      faults.faults().forEach(fault -> LOGGER.warn("{}", fault));
      if (faults.refuses()) {
        LOGGER.warn("starting without what is missing or damaged, as --accept-loss says");
      }
      StoreCheck stores = faults.stores();
      return new MetadataJournal.Expected(
          stores.broker(),
          stores.metadataSeen(),
          acceptsLoss,
          kept -> LostMetadata.replace(faults.orphans(), kept, settings));
    } catch (IOException e) {
      throw new StartException("cannot use data directory " + dataDir + ": " + IoReason.of(e), e);
    }
  }

  private static StartException abandon(
      MetadataJournal metadata, ClusterNode cluster, Exception cause) {
    if (cluster != null) {
      cluster.close();
    }
    if (metadata != null) {
      metadata.close();
    }
    return cause instanceof StartException start
        ? start
        : new StartException(cause.getMessage(), cause);
  }

  private static DeathJournal deathJournal(ServerSettings settings, BrokerThreads threads)
      throws StartException {
    if (settings.deathJournalSize() == 0) {
      return new MemoryDeathJournal(0);
    }
    Path directory = settings.dataDir().resolve(DEATHS_DIRECTORY);
    try {
      return DiskDeathJournal.open(
          directory, settings.deathJournalSize(), settings.deathJournalBytes(), threads);
    } catch (IOException e) {
      throw new StartException("cannot use death journal " + directory + ": " + IoReason.of(e), e);
    }
  }

  private static StoreOptions options(ServerSettings settings, boolean acceptsLoss) {
    return new StoreOptions(
        settings.dataDir().resolve(DataFaults.MESSAGES_DIRECTORY),
        settings.shards(),
        settings.memory().pagingBytes(Runtime.getRuntime().maxMemory()),
        DirectMemory.blocks(),
        settings.durability().segmentBytes(),
        settings.durability().sync(),
        acceptsLoss);
  }

  /**
   * Deletes all definitions and messages; no broker may use the directory.
   *
   * @throws IOException if something cannot be removed
   */
  static void remove(Path dataDir) throws IOException {
    removeReset(dataDir);
    // First of all: a node without its metadata must not vote.
    for (Path file : ClusterSetup.filesOf(dataDir)) {
      if (Files.exists(file)) {
        FileTree.delete(file);
      }
    }
    Path messages = dataDir.resolve(DataFaults.MESSAGES_DIRECTORY);
    if (Files.exists(messages)) {
      // Atomically: a directory with a part missing would be treated as damaged.
      Files.move(messages, dataDir.resolve(RESET_DIRECTORY), StandardCopyOption.ATOMIC_MOVE);
    }
    MetadataJournal.delete(dataDir);
    removeReset(dataDir);
    for (String each : List.of(DEATHS_DIRECTORY, Standby.DIRECTORY)) {
      if (Files.exists(dataDir.resolve(each))) {
        FileTree.delete(dataDir.resolve(each));
      }
    }
  }

  /**
   * Completes a reset that was interrupted: metadata without messages would be treated as a loss.
   */
  private static void finishReset(Path dataDir) throws IOException {
    boolean begun = Files.exists(dataDir.resolve(RESET_DIRECTORY));
    if (begun && Files.notExists(dataDir.resolve(DataFaults.MESSAGES_DIRECTORY))) {
      MetadataJournal.delete(dataDir);
    }
    removeReset(dataDir);
  }

  /** Deletes the messages that a reset has put aside. */
  private static void removeReset(Path dataDir) throws IOException {
    Path messages = dataDir.resolve(RESET_DIRECTORY);
    if (Files.notExists(messages)) {
      return;
    }
    FileTree.delete(messages);
  }

  /** Returns the broker, and who may use it. */
  Served served() {
    return served;
  }

  /** Returns the cluster that this node belongs to; null if it is alone. */
  ClusterNode cluster() {
    return cluster;
  }

  /** Returns what administrators may do. */
  Administration administration() {
    return administration;
  }

  /** Returns all that is declared, to be exported and imported. */
  BrokerDefinitions definitions() {
    return definitions;
  }

  /** Returns whether all changes of metadata are stored. Any thread may call. */
  boolean isMetadataAtRest() {
    return metadata.isAtRest();
  }

  /** Returns that through which all changes of files pass. */
  FileGate gate() {
    return gate;
  }

  /** Returns how many messages were recovered. */
  long recoveredMessages() {
    return recovered.messages();
  }

  /** Returns what takes backups of the data directory. */
  Backup backup() {
    return backup;
  }

  /**
   * Does something while no file of the data directory changes, and so nothing is confirmed.
   *
   * @throws IOException what the task throws
   */
  void hold(FileGate.Pause task) throws IOException {
    gate.hold(task);
  }

  /**
   * Imports the definitions that the configuration names, if it does.
   *
   * @throws StartException if they cannot be read or are not valid
   */
  void loadDefinitions(DefinitionsSettings settings) throws StartException {
    if (settings.file().isEmpty()) {
      return;
    }
    try {
      new DefinitionsLoader(
              definitions,
              administration.globalParameters(),
              settings.skipIfUnchanged(),
              settings.strict())
          .load(settings.file().get());
    } catch (DefinitionsException e) {
      throw new SettingsException(e.getMessage(), e);
    }
  }

  /**
   * Has passwords of parameters kept encrypted, if there is a passphrase, also those that were set
   * before there was one.
   *
   * @throws StartException if the passphrase cannot be read
   */
  void encryptParameters(Passphrase passphrase) throws StartException {
    Parameters parameters = administration.parameters();
    if (passphrase.isGiven()) {
      try {
        parameters.encryptBy(new ParameterCipher(passphrase.read()));
      } catch (ConfigException e) {
        throw new SettingsException(e.getMessage(), e);
      }
    }
    for (Parameter parameter : parameters.unreadable()) {
      LOGGER.error(
          "parameter '{}' of component '{}' in vhost '{}' has no effect: it was encrypted by another"
              + " passphrase; expected {}, or that it is set anew",
          parameter.name(),
          parameter.component(),
          parameter.vhost(),
          Passphrase.KEYS);
    }
    // In a cluster it may take until other nodes are there; the next start does it as well.
    parameters
        .encryptKept()
        .whenComplete(
            (count, failure) -> {
              if (failure != null) {
                LOGGER.warn(
                    "parameters that were kept in clear are not encrypted yet: {}",
                    Causes.of(failure).getMessage());
              } else if (count > 0) {
                LOGGER.info("encrypted {} parameters that were kept in clear", count);
              }
            });
  }

  /** Sets the name of the cluster, if the configuration has one, and waits until that is safe. */
  void setClusterName(Optional<String> name) {
    GlobalParameters parameters = administration.globalParameters();
    String given = name.map(JsonWriter::text).orElse(null);
    if (given != null && !given.equals(parameters.get(ClusterName.PARAMETER))) {
      parameters.set(ClusterName.PARAMETER, given).join();
    }
  }

  /** Logs what was recovered. */
  void announce() {
    LOGGER.info(
        "recovered {} durable exchanges, queues, bindings and policies, and {} messages in {} ms",
        recovered.definitions(),
        recovered.messages(),
        recoveryMillis);
  }

  /** Writes everything and closes the files. The event loops are still needed for that. */
  @Override
  public void close() {
    if (cluster != null) {
      cluster.close();
    }
    partitions.close();
    metadata.close();
  }

  /**
   * Raises or clears the alarm about metadata. It does not block publishers, as messages can still
   * be kept.
   */
  private static void metadataHealth(Alarms alarms, String why) {
    Alarm.Failure alarm = new Alarm.Failure("metadata cannot be written");
    if (why == null) {
      alarms.clear(alarm, "metadata can be written again");
    } else {
      alarms.raise(alarm, why);
    }
  }

  private record Raising(Alarms alarms) implements StoreAlarms {
    @Override
    public void raised(String what, String detail) {
      alarms.raise(new Alarm.Fault(what + " cannot be written"), detail);
    }

    @Override
    public void cleared(String what, String detail) {
      alarms.clear(new Alarm.Fault(what + " cannot be written"), detail);
    }

    @Override
    public void failed(String what, String detail) {
      alarms.raise(new Alarm.Failure(what + " has failed"), detail);
    }
  }
}
