package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.SettableClock;
import io.mayflymq.core.runtime.SteadyClock;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.AlarmEvents;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.alarm.ShardWatch;
import io.mayflymq.server.channel.InjectedFaults;
import io.mayflymq.server.clock.ManualTime;
import io.mayflymq.server.cluster.BrokerStart;
import io.mayflymq.server.cluster.ClusterNode;
import io.mayflymq.server.cluster.alarm.ClusterAlarms;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.config.TracingSettings;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.federation.FederatedObjects;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.management.ControlServer;
import io.mayflymq.server.management.ManagementServer;
import io.mayflymq.server.management.cluster.CalledNodes;
import io.mayflymq.server.management.cluster.NodeQuestions;
import io.mayflymq.server.management.resource.ManagedBroker;
import io.mayflymq.server.memory.HeapTrimmer;
import io.mayflymq.server.metrics.MeasuredBroker;
import io.mayflymq.server.metrics.PrometheusServer;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import io.mayflymq.server.standby.Standby;
import io.mayflymq.server.tls.TlsException;
import io.mayflymq.server.tracing.Tracing;
import io.mayflymq.shovel.Shovels;
import io.mayflymq.shovel.federation.Federation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The broker in the process: queues and messages, threads and listeners. It can be stopped and
 * started again while the process runs.
 */
final class Application implements AutoCloseable {
  /** The steps that release resources, the last one first. */
  private final Deque<Runnable> held = new ArrayDeque<>();

  private final BrokerThreads threads;
  private final ProcessUse use;
  private Storage storage;
  private ManagementServer management;
  private AmqpServer server;
  private ShardWatch watch;
  private Runnable announcement;

  private Application(BrokerThreads threads, ProcessUse use) {
    this.threads = threads;
    this.use = use;
  }

  /**
   * Recovers queues and messages, and starts to listen.
   *
   * @param control where it can be managed from then on too
   * @param manual its clock, if that is moved by hand
   * @param threads makes its threads
   * @param use what it may do with the process
   * @param acceptsLoss whether it starts although files of the data directory are missing
   * @param start the start that it belongs to, which is not complete yet
   * @throws StartException if that fails; then all resources are released
   */
  static Application start(
      LiveConfiguration configuration,
      ControlServer control,
      Optional<SettableClock> manual,
      BrokerThreads threads,
      ProcessUse use,
      boolean acceptsLoss,
      BrokerStart start)
      throws StartException {
    Application application = new Application(threads, use);
    boolean started = false;
    try {
      application.open(configuration, control, manual, acceptsLoss, start);
      started = true;
      return application;
    } finally {
      if (!started) {
        application.close();
      }
    }
  }

  private void open(
      LiveConfiguration configuration,
      ControlServer control,
      Optional<SettableClock> manual,
      boolean acceptsLoss,
      BrokerStart start)
      throws StartException {
    ServerSettings settings = configuration.settings();
    Alarms alarms = new Alarms();
    ResourceMonitors monitors =
        ResourceMonitors.start(
            settings.memory(), settings.disk(), settings.dataDir(), alarms, threads);
    held.push(monitors::close);
    SteadyClock clock = manual.map(SteadyClock::following).orElseGet(ClockSteps::clock);
    monitors.watch(clock);
    EventLoops loops = new EventLoops(settings.shards(), threads);
    held.push(loops::close);
    MessageTracer tracer = startTracing(settings.tracing());
    storage =
        Storage.open(
            new Storage.Options(settings, acceptsLoss, tracer, clock, start),
            loops,
            alarms,
            threads);
    held.push(storage::close);
    alarms.addListener(new AlarmEvents(storage.served().broker().events()));
    Shovels shovels = new Shovels();
    storage.administration().parameters().add(shovels);
    Federation federation = new Federation();
    federation.components().forEach(storage.administration().parameters()::add);
    storage.encryptParameters(settings.passphrase());
    storage.loadDefinitions(settings.definitions());
    storage.setClusterName(settings.clusterName());
    if (use == ProcessUse.OWN) {
      Housekeeping housekeeping =
          Housekeeping.start(storage.served().broker(), HeapTrimmer.begin(), threads);
      held.push(housekeeping::close);
    }
    watch = ShardWatch.start(storage.served().broker().shards(), alarms, threads);
    held.push(watch::close);
    Logins logins = Logins.start(settings, storage.served().accessControl(), threads);
    Optional<Standby> standby = openStandby(settings, shovels, federation);
    server = AmqpServer.start(configuration, loops, storage.served(), logins.chain());
    held.push(server::close);
    // First, so that no connection waits for a service when the server closes them.
    held.push(logins::close);
    monitors.setRelief(server.environment().memory()::relieve);
    monitors.setDiskRelief(new UndoRelief(storage.served().broker()));
    if (storage.cluster() != null) {
      held.push(storage.cluster()::release);
    }
    NodeQuestions others = otherNodes(storage.cluster());
    if (storage.cluster() != null) {
      held.push(
          ClusterAlarms.start(storage.cluster().calls(), others::reachable, alarms, threads)
              ::close);
    }
    held.push(
        configuration.onChange(
            changed -> {
              storage.served().accessControl().setLoopbackUsers(changed.auth().loopbackUsers());
              storage
                  .served()
                  .sessions()
                  .setNodeLimits(NodeName.value(), changed.protocol().node());
              storage.served().broker().setLimits(changed.protocol().objects());
              monitors.apply(changed.memory(), changed.disk());
            }));
    Optional<ManualTime> time =
        manual.map(moved -> new ManualTime(moved, storage::isMetadataAtRest, server.environment()));
    management =
        startManagement(
            configuration,
            managed(storage, time, others, shovels, federation, standby),
            monitors,
            logins,
            control);
    held.push(management::close);
    held.push(shovels::close);
    held.push(federation::close);
    if (standby.isEmpty() || standby.get().isFirst()) {
      startShovels(shovels);
      startFederation(federation);
    }
    standby.ifPresent(
        following -> {
          held.push(following::close);
          following.start();
        });
    if (storage.cluster() != null) {
      storage.cluster().calls().serve(CallService.MANAGEMENT, management::answer);
    }
    held.push(startMetrics(configuration, monitors, shovels, federation, standby)::close);
    announcement =
        () -> {
          monitors.announce();
          storage.announce();
          Tracing.announce(settings.tracing());
        };
  }

  /**
   * @return null if messages are not traced
   */
  private MessageTracer startTracing(TracingSettings settings) {
    if (settings.endpoint().isEmpty()) {
      return null;
    }
    Tracing tracing = Tracing.start(settings, NodeName.value());
    held.push(tracing::close);
    return tracing.tracer();
  }

  /** Logs the limits and what was recovered. */
  void announce() {
    announcement.run();
  }

  private ManagementServer startManagement(
      LiveConfiguration configuration,
      ManagedBroker managed,
      ResourceMonitors monitors,
      Logins logins,
      ControlServer control)
      throws StartException {
    try {
      return ManagementServer.start(
          configuration, managed, server, monitors, logins.page(), control, threads);
    } catch (IOException e) {
      throw refused(e);
    }
  }

  /** Opens the copies of another broker, if this one is its standby. */
  private Optional<Standby> openStandby(
      ServerSettings settings, Shovels shovels, Federation federation) throws StartException {
    if (!settings.standby().isConfigured()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Standby.open(
              settings.standby(),
              settings.dataDir(),
              new Standby.Surroundings(
                  storage.served().broker(),
                  storage.definitions(),
                  storage.served().sessions(),
                  storage.gate(),
                  storage.recoveredMessages(),
                  threads,
                  () -> {
                    startShovels(shovels);
                    startFederation(federation);
                  })));
    } catch (TlsException e) {
      throw new SettingsException(e.getMessage(), e);
    } catch (IOException e) {
      throw new StartException("cannot be a standby: " + e.getMessage(), e);
    }
  }

  private ManagedBroker managed(
      Storage storage,
      Optional<ManualTime> time,
      NodeQuestions others,
      Shovels shovels,
      Federation federation,
      Optional<Standby> standby) {
    return new ManagedBroker(
        server.environment(),
        storage.administration(),
        storage.definitions(),
        storage.backup(),
        time,
        others,
        shovels,
        federation,
        standby);
  }

  /** In a cluster they run on the node that leads its decisions. */
  private void startShovels(Shovels shovels) {
    ClusterNode cluster = storage.cluster();
    shovels.start(
        new Shovels.Surroundings(
            storage.administration(),
            JsonReader::stored,
            server.inner(),
            () -> ClusterName.of(storage.administration().globalParameters()),
            cluster == null ? () -> true : cluster::leads,
            storage.served().broker().events(),
            threads));
    if (cluster != null) {
      cluster.whenLeaderChanges(shovels::changed);
    }
  }

  /** In a cluster exchanges have their links on the node that leads its decisions. */
  private void startFederation(Federation federation) {
    ClusterNode cluster = storage.cluster();
    federation.start(
        new Federation.Surroundings(
            storage.administration(),
            JsonReader::stored,
            new FederatedObjects(
                storage.served().broker(), cluster == null ? () -> true : cluster::leads),
            server.inner(),
            () -> ClusterName.of(storage.administration().globalParameters()),
            threads));
    if (cluster != null) {
      cluster.whenLeaderChanges(federation::changed);
    }
  }

  private static StartException refused(IOException e) {
    return e.getCause() instanceof TlsException
        ? new SettingsException(e.getMessage(), e)
        : new StartException(e.getMessage(), e);
  }

  private static NodeQuestions otherNodes(ClusterNode cluster) {
    return cluster == null
        ? NodeQuestions.NONE
        : new CalledNodes(NodeName.value(), cluster, cluster.calls());
  }

  private PrometheusServer startMetrics(
      LiveConfiguration configuration,
      ResourceMonitors monitors,
      Shovels shovels,
      Federation federation,
      Optional<Standby> standby)
      throws StartException {
    try {
      return PrometheusServer.start(
          configuration,
          new MeasuredBroker(
              server.environment(),
              monitors,
              configuration.settings().dataDir(),
              () -> storage.cluster() == null ? null : storage.cluster().consensus(),
              () -> storage.cluster() == null ? null : storage.cluster().hosted(),
              shovels::statuses,
              federation::statuses,
              () -> standby.map(Standby::status)),
          threads);
    } catch (IOException e) {
      throw refused(e);
    }
  }

  /**
   * Ends all connections at once, and copies the data directory as a process would have left it
   * that was killed before that.
   *
   * @param copy does not exist
   * @throws IOException if it cannot be copied
   */
  void freeze(Path dataDir, Path copy) throws IOException {
    storage.hold(
        () -> {
          server.hangUp();
          FileTree.copy(dataDir, copy);
        });
  }

  /** Closes the sockets of all connections without a word. */
  void dropConnections() {
    server.dropConnections();
  }

  /** Raises or clears the alarm about a resource that is raised by hand. */
  void setScarce(Alarm.Resource resource, boolean scarce) {
    Alarms alarms = storage.served().alarms();
    Alarm alarm = new Alarm.ByHand(resource);
    if (scarce) {
      alarms.raise(alarm, "a test wants it");
    } else {
      alarms.clear(alarm, "the test wants it no longer");
    }
  }

  /** Returns the faults of confirms and acknowledgements. */
  InjectedFaults faults() {
    return server.environment().faults();
  }

  /** Returns the management API. */
  ManagementServer management() {
    return management;
  }

  /** Returns whether all shards do their work. Any thread may call. */
  boolean works() {
    return watch.allAnswer();
  }

  /** Returns where the management page is, and how to log in; nothing if there is none. */
  Optional<String> welcome() {
    return management.welcome();
  }

  /** Returns where clients connect. */
  List<InetSocketAddress> addresses() {
    return server.addresses();
  }

  /** Returns where clients connect that speak TLS. */
  List<InetSocketAddress> tlsAddresses() {
    return server.tlsAddresses();
  }

  /** Closes connections in order and completes pending work. */
  @Override
  public void close() {
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }
}
