package io.mayflymq.server.boot;

import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.management.ManagementServer;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running broker with all it holds: its data directory, its listeners, its log. */
final class Daemon implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Daemon.class);

  /** How to let go of what is held, the last one first. */
  private final Deque<Runnable> held = new ArrayDeque<>();

  private AmqpServer server;

  private Daemon() {}

  /**
   * Takes the data directory, begins to log, brings back what was kept and listens. It says so only
   * when all is well: a start that fails leaves one line on the terminal, the error.
   *
   * @param warnings lines for the log
   * @throws StartException if any of it cannot be had; then nothing is held
   */
  static Daemon start(ServerSettings settings, List<String> warnings) throws StartException {
    Daemon daemon = new Daemon();
    boolean started = false;
    try {
      daemon.open(settings, warnings);
      started = true;
      return daemon;
    } finally {
      if (!started) {
        daemon.letGo();
      }
    }
  }

  private void open(ServerSettings settings, List<String> warnings) throws StartException {
    DataDirectory data = DataDirectory.open(settings.dataDir());
    held.push(data::close);
    Logging.configure(settings.log());
    Alarms alarms = new Alarms();
    ResourceMonitors monitors =
        ResourceMonitors.start(settings.memory(), settings.disk(), data.path(), alarms);
    held.push(monitors::close);
    EventLoops loops = new EventLoops(settings.shards());
    held.push(loops::close);
    Storage storage = Storage.open(settings, loops, alarms);
    held.push(storage::close);
    storage.loadDefinitions(settings.definitions());
    server = AmqpServer.start(settings, loops, storage.served());
    held.push(server::close);
    ManagementServer management = startManagement(settings, storage, monitors);
    held.push(management::close);
    LOGGER.info(
        "{} {} on Java {} ({}), {} shards",
        BuildInfo.PRODUCT,
        BuildInfo.version(),
        Runtime.version(),
        System.getProperty("java.vm.name"),
        settings.shards());
    warnings.forEach(LOGGER::warn);
    LOGGER.info("data in {}", data.path());
    monitors.announce();
    storage.announce();
    server
        .addresses()
        .forEach(at -> LOGGER.info("listening for AMQP on {}", NetUtil.toSocketAddressString(at)));
    server
        .tlsAddresses()
        .forEach(
            at ->
                LOGGER.info(
                    "listening for AMQP over TLS on {}", NetUtil.toSocketAddressString(at)));
  }

  private ManagementServer startManagement(
      ServerSettings settings, Storage storage, ResourceMonitors monitors) throws StartException {
    try {
      return ManagementServer.start(
          settings,
          new ManagementServer.Managed(
              server.environment(), storage.administration(), storage.definitions()),
          server.addresses(),
          new ThisProcess(),
          monitors);
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private void letGo() {
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }

  /** Where clients connect. */
  List<InetSocketAddress> addresses() {
    return server.addresses();
  }

  /** Says that clients may come, and how long that took from the start of the process. */
  void announceReady() {
    long sinceStart =
        System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    LOGGER.info(
        "{} {} ready in {} s",
        BuildInfo.PRODUCT,
        BuildInfo.version(),
        String.format(Locale.ROOT, "%.2f", sinceStart / 1000.0));
  }

  /** Closes connections in order, settles what is pending and lets the data directory go. */
  @Override
  public void close() {
    LOGGER.info("stopping");
    letGo();
    LOGGER.info("stopped");
  }
}
