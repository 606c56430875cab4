package io.mayflymq.server.boot;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.management.ManagementServer;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.net.StartException;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running broker with all it holds: its data directory, its listeners, its log. */
final class Daemon implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Daemon.class);

  private final DataDirectory data;
  private final AmqpServer server;
  private final ManagementServer management;

  private Daemon(DataDirectory data, AmqpServer server, ManagementServer management) {
    this.data = data;
    this.server = server;
    this.management = management;
  }

  /**
   * Takes the data directory, begins to log and listens. It says so only when all is well: a start
   * that fails leaves one line on the terminal, the error.
   *
   * @param warnings lines for the log
   * @throws StartException if any of it cannot be had; then nothing is held
   */
  static Daemon start(ServerSettings settings, List<String> warnings) throws StartException {
    DataDirectory data = DataDirectory.open(settings.dataDir());
    AmqpServer server = null;
    boolean started = false;
    try {
      Logging.configure(settings.log());
      server = AmqpServer.start(settings);
      ManagementServer management = startManagement(settings, server);
      LOGGER.info(
          "{} {} on Java {} ({}), {} shards",
          BuildInfo.PRODUCT,
          BuildInfo.version(),
          Runtime.version(),
          System.getProperty("java.vm.name"),
          settings.shards());
      warnings.forEach(LOGGER::warn);
      LOGGER.info("data in {}", data.path());
      server
          .addresses()
          .forEach(
              at -> LOGGER.info("listening for AMQP on {}", NetUtil.toSocketAddressString(at)));
      started = true;
      return new Daemon(data, server, management);
    } finally {
      if (!started) {
        if (server != null) {
          server.close();
        }
        data.close();
      }
    }
  }

  private static ManagementServer startManagement(ServerSettings settings, AmqpServer server)
      throws StartException {
    try {
      return ManagementServer.start(
          settings, server.environment(), server.addresses(), new ThisProcess());
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
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
    management.close();
    server.close();
    data.close();
    LOGGER.info("stopped");
  }
}
