package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the load that Java observes for its archive. */
class TrainingRunTest {
  @TempDir Path temporary;

  @Test
  void runsToItsEndAndLeavesNoData() {
    StringWriter err = new StringWriter();

    int exitCode =
        new TrainingRun(new BrokerThreads(Faults.logged()), temporary, new PrintWriter(err, true))
            .run();

    assertThat(err.toString()).isEmpty();
    assertThat(exitCode).isEqualTo(ExitCode.OK);
    assertThat(temporary).isEmptyDirectory();
  }
}
