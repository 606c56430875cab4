package io.mayflymq.server.boot;

import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.SettableClock;
import io.mayflymq.server.cluster.BrokerStart;
import io.mayflymq.server.cluster.StoppedMember;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.ClockSettings;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogLevel;
import io.mayflymq.server.config.LogSettings;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.logging.LogTail;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.management.ControlServer;
import io.mayflymq.server.management.resource.ProcessControl;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process: its data directory, its log, its control, and the broker in it, which can be stopped
 * and started again while the process runs. Thread-safe.
 */
final class Daemon implements AutoCloseable, ProcessControl {
  private static final Logger LOGGER = LoggerFactory.getLogger(Daemon.class);

  private final LiveConfiguration configuration;
  private final BrokerThreads threads;
  private final ProcessUse use;
  private final Runnable end;

  /** The steps that release resources other than the broker, the last one first. */
  private final Deque<Runnable> held = new ArrayDeque<>();

  private DataDirectory data;

  /** The clock of the broker if it is moved by hand; it goes on if the broker is stopped. */
  private Optional<SettableClock> clock = Optional.empty();

  /** The log settings that were applied last. */
  private LogSettings log;

  private ControlServer control;

  /** The broker, or null while it is stopped. */
  private volatile Application application;

  /** The start of the broker that is under way; null if there is none. */
  private volatile BrokerStart starting;

  /** Whether the process ends: nothing is started any more. */
  private volatile boolean closing;

  private Daemon(
      LiveConfiguration configuration, BrokerThreads threads, ProcessUse use, Runnable end) {
    this.threads = threads;
    this.use = use;
    this.end = end;
    this.configuration = configuration;
  }

  /**
   * Locks the data directory, starts the log, recovers queues and messages, and listens. It prints
   * lines only when everything has succeeded: a start that fails leaves one line on the terminal,
   * the error.
   *
   * @param threads makes all threads
   * @param use what it may do with the process
   * @param acceptsLoss whether it starts although files of the data directory are missing
   * @param end ends the process, or whatever the broker runs in, in its own time
   * @throws StartException if any of it cannot be had; then nothing is held
   */
  static Daemon start(
      LiveConfiguration configuration,
      BrokerThreads threads,
      ProcessUse use,
      boolean acceptsLoss,
      Runnable end)
      throws StartException {
    Daemon daemon = new Daemon(configuration, threads, use, end);
    boolean started = false;
    try {
      daemon.open(acceptsLoss);
      started = true;
      return daemon;
    } finally {
      if (!started) {
        daemon.letGo();
      }
    }
  }

  private synchronized void open(boolean acceptsLoss) throws StartException {
    ServerSettings settings = configuration.settings();
    if (use == ProcessUse.OWN) {
      NodeName.set(settings.nodeName());
    }
    data = DataDirectory.open(settings.dataDir(), settings.dataDirOfAnyOwner());
    held.push(data::close);
    log = settings.log();
    if (use == ProcessUse.OWN) {
      Logging.configure(log, Daemon.class, threads.faults());
    }
    held.push(configuration.onChange(this::changed));
    data.warnings().forEach(LOGGER::warn);
    clock = manualClock(settings.clock());
    control = startControl();
    held.push(control::close);
    application = start(acceptsLoss);
    LOGGER.info(
        "{} {} on Java {} ({}), {} shards",
        BuildInfo.PRODUCT,
        BuildInfo.version(),
        Runtime.version(),
        System.getProperty("java.vm.name"),
        configuration.settings().shards());
    configuration.files().forEach(file -> LOGGER.info("configuration from {}", file));
    configuration.warnings().forEach(LOGGER::warn);
    LOGGER.info("data in {}", data.path());
    announceListeners();
  }

  private ControlServer startControl() throws StartException {
    try {
      return use == ProcessUse.OWN
          ? ControlServer.start(configuration, this, threads)
          : ControlServer.none();
    } catch (IOException e) {
      throw new StartException("cannot listen on the loopback address: " + e.getMessage(), e);
    }
  }

  /** It begins anew when its metadata are replaced by those of another node meanwhile. */
  private Application start(boolean acceptsLoss) throws StartException {
    while (true) {
      BrokerStart start = new BrokerStart(this::restart);
      starting = start; // Before it looks whether the process ends.
      if (closing) {
        throw new StartException("the process ends");
      }
      try {
        Application started =
            Application.start(configuration, control, clock, threads, use, acceptsLoss, start);
        if (start.complete()) {
          return started;
        }
        started.close();
      } catch (StartException | RuntimeException e) {
        if (!start.beginsAnew() || closing) {
          throw e;
        }
      } finally {
        starting = null;
      }
      LOGGER.info("starting the broker anew with the metadata that it has taken over");
    }
  }

  private Optional<SettableClock> manualClock(ClockSettings settings) throws SettingsException {
    Deadlines.setExactClock(settings.manual());
    if (!settings.manual()) {
      return Optional.empty();
    }
    if (!data.isNew() && !settings.onOldData()) {
      throw new SettingsException(
          ("clock = manual: data directory %s has been used before, and what is in it may expire:"
                  + " expected a new one, or clock.on_old_data = true")
              .formatted(data.path()));
    }
    Instant start = settings.start().orElseGet(Instant::now).truncatedTo(ChronoUnit.MILLIS);
    if (use == ProcessUse.OWN) {
      LOGGER.warn(
          "clock = manual: the clock of this broker stands at {} until advance_clock moves it, and"
              + " nothing expires before that; for tests only",
          start);
    }
    return Optional.of(new SettableClock(start.toEpochMilli()));
  }

  /** Lines that scripts wait for, so they are of this class, whose lines pass at every level. */
  private void announceListeners() {
    application.announce();
    announce("AMQP", application.addresses());
    announce("AMQP over TLS", application.tlsAddresses());
  }

  private static void announce(String protocol, List<InetSocketAddress> addresses) {
    addresses.forEach(
        at -> LOGGER.info("listening for {} on {}", protocol, NetUtil.toSocketAddressString(at)));
  }

  /** Returns whether the broker does its work, or is stopped on request. Any thread may call. */
  boolean works() {
    Application current = application;
    return current == null || current.works();
  }

  /** Returns where clients connect. */
  List<InetSocketAddress> addresses() {
    return application.addresses();
  }

  /** Returns the broker; null while it is stopped. */
  Application application() {
    return application;
  }

  /** Returns the data directory. */
  Path dataDirectory() {
    return data.path();
  }

  /**
   * Logs that the broker is ready for clients, how long that took from the start of the process,
   * and where its page is.
   */
  void announceReady() {
    long sinceStart =
        System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    LOGGER.info(
        "{} {} ready in {} s",
        BuildInfo.PRODUCT,
        BuildInfo.version(),
        String.format(Locale.ROOT, "%.2f", sinceStart / 1000.0));
    application.welcome().ifPresent(LOGGER::info);
  }

  // What can be done to it

  @Override
  public void stop() {
    end.run();
  }

  /**
   * Reads the configuration and the certificates again, and opens the log files anew, which were
   * maybe moved away. Any thread may call; one that calls meanwhile waits.
   */
  void reload() {
    Logging.reopen();
    try {
      LiveConfiguration.Reloaded reloaded = configuration.reload();
      LOGGER.info(
          "configuration was read again; {}",
          reloaded.changed().isEmpty()
              ? "nothing has changed"
              : "changed: " + String.join(", ", reloaded.changed()));
      if (!reloaded.waiting().isEmpty()) {
        LOGGER.warn(
            "these keys have changed too, and are looked at when the broker starts: {}",
            String.join(", ", reloaded.waiting()));
      }
    } catch (ConfigException e) {
      e.errors()
          .forEach(
              error ->
                  LOGGER.error("configuration was not read again, and stays as it was: {}", error));
    }
  }

  /** A level that was set by hand stays until the configuration says another one. */
  private void changed(ServerSettings settings) {
    LogSettings told = settings.log();
    if (!told.hasLevelsOf(log)) {
      Logging.setLevels(told);
    }
    log = told;
  }

  @Override
  public boolean rotateLog() {
    return Logging.rotate();
  }

  @Override
  public void setLogLevel(Optional<LogCategory> category, LogLevel level) {
    Logging.setLevel(category, level);
  }

  @Override
  public LogTail lastOfLog(int most) {
    return Logging.last(most);
  }

  @Override
  public LogTail logAfter(long earlier) {
    return Logging.after(earlier);
  }

  @Override
  public boolean isRunning() {
    return application != null;
  }

  @Override
  public synchronized void stopBroker() {
    if (application != null) {
      LOGGER.info("stopping the broker, but not the process");
      application.close();
      application = null;
      LOGGER.info("broker stopped");
    }
  }

  @Override
  public synchronized void startBroker() throws IOException {
    if (application == null) {
      try {
        application = start(false);
      } catch (StartException e) {
        throw new IOException(e.getMessage(), e);
      }
      announceListeners();
      LOGGER.info("broker started");
    }
  }

  /** Starts the broker anew, in its own time. Any thread may call. */
  private void restart() {
    threads
        .auxiliary(
            "restart",
            () -> {
              stopBroker();
              try {
                startBroker();
              } catch (IOException e) {
                if (!closing) {
                  LOGGER.error("the broker could not be started again: {}", e.getMessage());
                }
              }
            })
        .start();
  }

  private StoppedNode stopped() throws StartException {
    if (application != null) {
      throw new StartException("the broker runs: stop_app comes first");
    }
    return new StoppedNode(configuration.settings().cluster(), data.path(), threads);
  }

  @Override
  public synchronized void reset(boolean force) throws StartException, IOException {
    stopped().reset(force);
  }

  @Override
  public synchronized void joinCluster(NodeAddress seed) throws StartException, IOException {
    stopped().join(seed);
  }

  @Override
  public synchronized StoppedMember.Loss goOnWithout(String node) throws StartException {
    return stopped().goOnWithout(node);
  }

  /**
   * Closes connections in order, completes pending work and unlocks the data directory. A broker
   * that starts meanwhile is not waited for until the cluster has answered it.
   */
  @Override
  public void close() {
    closing = true;
    BrokerStart underWay = starting;
    if (underWay != null) {
      underWay.giveUp();
    }
    synchronized (this) {
      LOGGER.info("stopping");
      letGo();
      LOGGER.info("stopped");
    }
  }

  private void letGo() {
    if (application != null) {
      application.close();
      application = null;
    }
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }
}
