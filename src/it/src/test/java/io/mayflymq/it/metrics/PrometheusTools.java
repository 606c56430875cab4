package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The programs of Debian's package prometheus. */
final class PrometheusTools {
  /** The files that users of Prometheus and Grafana get. */
  static final Path CONFIG = Path.of("..", "..", "config").toAbsolutePath().normalize();

  private PrometheusTools() {}

  /** Skips a test where they are not installed; in the builds that count they have to be. */
  static void requireInstalled() throws Exception {
    boolean installed;
    try {
      installed =
          new ProcessBuilder("promtool", "--version")
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                  .start()
                  .waitFor()
              == 0;
    } catch (IOException e) {
      installed = false;
    }
    if (System.getenv("CI") == null) {
      Assumptions.assumeTrue(installed, "Prometheus is not installed");
    }
    assertThat(installed).as("promtool of Debian's package prometheus is there").isTrue();
  }

  /**
   * Runs promtool, which has to accept what it gets.
   *
   * @param input a file that it reads; null if it reads none
   */
  static void promtool(Path input, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("promtool", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    if (input != null) {
      builder.redirectInput(input.toFile());
    }
    Process process = builder.start();
    try {
      assertThat(process.waitFor(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
      assertThat(process.exitValue())
          .as("exit code of %s, which printed:%n%s", command, Files.readString(output))
          .isZero();
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
