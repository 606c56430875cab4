package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start that fails says and returns. */
class ServerRunTest {
  @TempDir Path directory;
  private final StringWriter err = new StringWriter();

  private int run(String... sets) {
    return new ServerRun(
            Map.of("MAYFLY_DATA_DIR", directory.resolve("data").toString()),
            new PrintWriter(err, true),
            new BrokerThreads(Faults.logged()))
        .run(new ServerOptions(Optional.empty(), List.of(sets), false));
  }

  private void assertSaid(String line) {
    assertThat(err.toString().lines()).containsExactly(line);
  }

  @Test
  void badConfigurationExitsWith78() {
    assertThat(run("hearbeat=1")).isEqualTo(ExitCode.CONFIG);
    assertSaid(
        "mayfly: --set: unknown key 'hearbeat' (value '1'): expected a key of MayflyMQ;"
            + " did you mean 'heartbeat'?");
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void portInUseExitsWith1() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertThat(run("listeners.tcp.default=" + address)).isEqualTo(ExitCode.FAILURE);
      assertSaid(
          "mayfly: cannot listen on "
              + address
              + " (key listeners.tcp.default): Address already in use");
    }
  }

  @Test
  void dataDirectoryOfANewerBrokerExitsWith1() throws Exception {
    Path data = directory.resolve("data");
    DataDirectory.open(data, false).close();
    Files.writeString(data.resolve("mayfly.format"), "99\n");

    assertThat(run("listeners.tcp=none")).isEqualTo(ExitCode.FAILURE);
    assertSaid(
        "mayfly: data directory "
            + data
            + " has format '99' (file mayfly.format), this version knows format 4 only");
  }

  @Test
  void dataDirectoryThatOnlyAnOlderVersionReadsIsRefusedUnchanged() throws Exception {
    Path data = directory.resolve("data");
    DataDirectory.open(data, false).close();
    Path format = Files.writeString(data.resolve("mayfly.format"), "3\n");
    Path metadata = Files.write(data.resolve("metadata.mv"), new byte[8]);

    assertThat(run("listeners.tcp=none")).isEqualTo(ExitCode.FAILURE);
    assertSaid(
        "mayfly: data directory "
            + data
            + " has format '3' (file mayfly.format), this version knows format 4 only: version"
            + " 0.2.0 converts it when it is started with this directory");
    assertThat(format).hasContent("3");
    assertThat(metadata).hasBinaryContent(new byte[8]);
  }

  /** A version that converts it was killed after it had written the new format. */
  @Test
  void metadataThatWereNotConvertedToTheEndAreRefusedUnchanged() throws Exception {
    Path data = directory.resolve("data");
    DataDirectory.open(data, false).close();
    Path metadata = Files.write(data.resolve("metadata.mv"), new byte[8]);

    assertThat(run("listeners.tcp=none")).isEqualTo(ExitCode.DATA);
    assertSaid(
        "mayfly: data directory "
            + data
            + " is not complete: metadata.mv is a database of H2 with the metadata, which this"
            + " version does not read: version 0.2.0 converts it when it is started with this"
            + " directory. Nothing was changed. Restore these files from a backup; or look with"
            + " check-data what is left, and start with --accept-loss to go on without the rest");
    assertThat(metadata).hasBinaryContent(new byte[8]);
    assertThat(data).isDirectoryNotContaining("glob:**metadata.log");
  }

  @Test
  void dataDirectoryInUseExitsWith1() throws Exception {
    Path data = directory.resolve("data");
    try (DataDirectory taken = DataDirectory.open(data, false)) {
      assertThat(run("listeners.tcp=none")).isEqualTo(ExitCode.FAILURE);
      assertSaid("mayfly: data directory " + taken.path() + " is in use by another broker");
    }
  }

  @Test
  void dataDirectoryThatCannotBeCreatedExitsWith1() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(run("data_dir=" + file)).isEqualTo(ExitCode.FAILURE);
    assertSaid(
        "mayfly: cannot use data directory " + file + ": a file is in the way of a directory");
  }

  @Test
  void logFileThatCannotBeCreatedExitsWith1() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(run("log.dir=" + file, "log.file=m.log")).isEqualTo(ExitCode.FAILURE);
    assertSaid(
        "mayfly: cannot write log file "
            + file.resolve("m.log")
            + ": a file is in the way of a directory");
  }
}
