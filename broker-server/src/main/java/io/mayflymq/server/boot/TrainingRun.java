package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.Secrets;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code train}: a broker in this process with a temporary data directory, a client of it, and the
 * end of both; then the same with a cluster of two nodes, if the configuration makes the broker a
 * node of one. The log goes to standard output, as it usually does. Java can then write what it has
 * observed to an archive of classes or an ahead-of-time cache.
 *
 * <p>An archive is resident as a whole, and the classes of clusters are a third of it, so a broker
 * that is alone goes without them.
 */
final class TrainingRun {
  private final BrokerThreads threads;
  private final Path temporary;
  private final Map<String, String> environment;
  private final PrintWriter err;

  /**
   * @param threads makes all threads
   * @param temporary where it makes its directory, which it deletes at the end
   * @param environment of the process, which names the configuration
   * @param err for one line that says why it failed
   */
  TrainingRun(
      BrokerThreads threads, Path temporary, Map<String, String> environment, PrintWriter err) {
    this.threads = threads;
    this.temporary = temporary;
    this.environment = environment;
    this.err = err;
  }

  /** Returns the directory for temporary files of this process. */
  static Path temporaryFiles() {
    return Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** Runs it to its end and returns the exit code. */
  int run() {
    try {
      ClusterSettings cluster = Configuration.loadEncrypted(environment).settings().cluster();
      Path directory = Files.createTempDirectory(temporary, "mayfly-train-");
      try {
        serveAlone(directory);
        if (cluster.listener().isPresent()) {
          serveCluster(directory);
        }
      } finally {
        FileTree.delete(directory);
      }
      return ExitCode.OK;
    } catch (IOException | ConfigException | StartException e) {
      err.println("mayfly: training failed: " + e.getMessage());
      return ExitCode.FAILURE;
    }
  }

  private void serveAlone(Path directory) throws IOException, ConfigException, StartException {
    try (Daemon alone = start(directory.resolve("data"), List.of())) {
      TrainingLoad.run(alone.addresses().get(0));
    }
  }

  /** Two nodes, the first of which leads what there is, ends, and is started again. */
  private void serveCluster(Path directory) throws IOException, ConfigException, StartException {
    List<Integer> ports = freePorts(2);
    String secret = Secrets.generate();
    Path first = directory.resolve("0");
    Daemon leader = start(first, member(0, ports, secret));
    try (Daemon other = start(directory.resolve("1"), member(1, ports, secret))) {
      TrainingLoad.runReplicated(leader.addresses().get(0));
      TrainingLoad.leaveReplicated(other.addresses().get(0));
      leader.close();
      leader = start(first, member(0, ports, secret));
      TrainingLoad.takeReplicated(other.addresses().get(0));
    } finally {
      leader.close();
    }
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    List<ServerSocket> sockets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      ports.add(sockets.get(i).getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  /** The first one begins the cluster, and knows no other. */
  private static List<String> member(int index, List<Integer> ports, String secret) {
    List<String> settings = new ArrayList<>();
    settings.add("node_name=%d@localhost".formatted(index));
    settings.add("cluster.secret=" + secret);
    settings.add("cluster.listener=127.0.0.1:" + ports.get(index));
    for (int i = 0; i <= index; i++) {
      settings.add(
          "cluster_formation.classic_config.nodes.%d=%d@localhost:127.0.0.1:%d"
              .formatted(i + 1, i, ports.get(i)));
    }
    return settings;
  }

  private Daemon start(Path data, List<String> more)
      throws IOException, ConfigException, StartException {
    List<String> settings =
        new ArrayList<>(
            List.of(
                "data_dir=" + data,
                "listeners.tcp.default=127.0.0.1:0",
                "management.tcp.ip=127.0.0.1",
                "management.tcp.port=0",
                "prometheus.tcp.ip=127.0.0.1",
                "prometheus.tcp.port=0"));
    settings.addAll(more);
    LiveConfiguration configuration =
        LiveConfiguration.read(() -> Configuration.load(Optional.empty(), Map.of(), settings));
    return Daemon.start(configuration, threads, ProcessUse.OWN, false, () -> {});
  }
}
