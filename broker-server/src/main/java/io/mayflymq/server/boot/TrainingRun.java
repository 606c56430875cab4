package io.mayflymq.server.boot;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.server.commandline.ExitCode;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.source.ConfigException;
import io.mayflymq.server.net.StartException;
import io.mayflymq.server.training.TrainingLoad;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code train}: a broker in this process with a temporary data directory, a client of it, and the
 * end of both. The log goes to standard output, as it usually does. Java can then write what it has
 * observed to an archive of classes or an ahead-of-time cache.
 */
final class TrainingRun {
  private final BrokerThreads threads;
  private final PrintWriter err;

  /**
   * @param threads makes all threads
   * @param err for one line that says why it failed
   */
  TrainingRun(BrokerThreads threads, PrintWriter err) {
    this.threads = threads;
    this.err = err;
  }

  /** Runs it to its end and returns the exit code. */
  int run() {
    try {
      Path directory = Files.createTempDirectory("mayfly-train-");
      try {
        serve(directory);
      } finally {
        FileTree.delete(directory);
      }
      return ExitCode.OK;
    } catch (IOException | ConfigException | StartException e) {
      err.println("mayfly: training failed: " + e.getMessage());
      return ExitCode.FAILURE;
    }
  }

  private void serve(Path directory) throws IOException, ConfigException, StartException {
    List<String> settings =
        List.of(
            "data_dir=" + directory.resolve("data"),
            "listeners.tcp.default=127.0.0.1:0",
            "management.tcp.ip=127.0.0.1",
            "management.tcp.port=0",
            "prometheus.tcp.ip=127.0.0.1",
            "prometheus.tcp.port=0");
    LiveConfiguration configuration =
        LiveConfiguration.read(() -> Configuration.load(Optional.empty(), Map.of(), settings));
    try (Daemon daemon = Daemon.start(configuration, threads, false)) {
      TrainingLoad.run(daemon.addresses().get(0));
    }
  }
}
