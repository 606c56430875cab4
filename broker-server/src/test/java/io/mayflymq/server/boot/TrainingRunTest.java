package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.Secrets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the load that Java observes for its archive. */
class TrainingRunTest {
  @TempDir Path temporary;

  private final StringWriter err = new StringWriter();

  @Test
  void runsToItsEndAndLeavesNoData() {
    assertTrains(Map.of());
  }

  @Test
  void aNodeOfAClusterTrainsWithOneToo() {
    assertTrains(
        Map.of(
            "MAYFLY_CLUSTER_LISTENER",
            "127.0.0.1:25672",
            "MAYFLY_CLUSTER_SECRET",
            Secrets.generate()));
  }

  @Test
  void aConfigurationThatCannotBeReadIsNamed() {
    assertThat(train(Map.of("MAYFLY_CLUSTER_LISTENER", "nowhere"))).isEqualTo(ExitCode.FAILURE);

    assertThat(err.toString())
        .startsWith("mayfly: training failed: ")
        .contains("MAYFLY_CLUSTER_LISTENER");
    assertThat(temporary).isEmptyDirectory();
  }

  private void assertTrains(Map<String, String> environment) {
    int exitCode = train(environment);

    assertThat(err.toString()).isEmpty();
    assertThat(exitCode).isEqualTo(ExitCode.OK);
    assertThat(temporary).isEmptyDirectory();
  }

  private int train(Map<String, String> environment) {
    return new TrainingRun(
            new BrokerThreads(Faults.logged()), temporary, environment, new PrintWriter(err, true))
        .run();
  }
}
