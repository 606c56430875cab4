package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class StartTimesIT {
  /** The figures are printed, for those who know what else ran; no build depends on them. */
  @Test
  void canBeMeasured() throws Exception {
    Process measuring =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StartTimes.class.getName())
            .redirectErrorStream(true)
            .start();
    String printed = new String(measuring.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(measuring.waitFor()).as(printed).isZero();
    assertThat(printed).startsWith("first start ").hasLineCount(1);
    System.out.print(printed);
  }
}
