package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PlainApplicationIT {
  @Test
  void aBrokerNeedsNoLibraryOfTheApplication() throws Exception {
    Process application =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                placeOf(MayflyBroker.class) + File.pathSeparator + placeOf(PlainApplication.class),
                PlainApplication.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed =
        new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(application.waitFor()).as(printed).isZero();
    assertThat(printed.lines()).containsExactly("order 1", "expired", "0", "10.10");
  }

  private static Path placeOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
