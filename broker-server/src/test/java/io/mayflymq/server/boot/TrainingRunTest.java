package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.core.fault.Faults;
import io.mayflymq.server.commandline.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the load that Java observes for its archive. */
class TrainingRunTest {
  @Test
  void runsToItsEndAndLeavesNoData() throws IOException {
    StringWriter err = new StringWriter();
    List<Path> before = directories();

    int exitCode =
        new TrainingRun(new BrokerThreads(Faults.logged()), new PrintWriter(err, true)).run();

    assertThat(err.toString()).isEmpty();
    assertThat(exitCode).isEqualTo(ExitCode.OK);
    assertThat(directories()).isEqualTo(before);
  }

  private static List<Path> directories() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (Stream<Path> all = Files.list(temporary)) {
      return all.filter(path -> path.getFileName().toString().startsWith("mayfly-train-"))
          .sorted()
          .toList();
    }
  }
}
