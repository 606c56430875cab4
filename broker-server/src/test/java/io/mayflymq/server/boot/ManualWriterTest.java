package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.config.Keys;
import io.mayflymq.server.ctl.ControlManual;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages and scripts for packages have everything that they are made from. */
class ManualWriterTest {
  @TempDir Path target;

  private String written(String file) throws Exception {
    Files.createDirectories(target.resolve("bin"));
    for (String script : List.of("mayfly", "mayflyctl")) {
      Files.copy(Path.of("src/bin", script), target.resolve("bin").resolve(script));
    }
    ManualWriter.main(new String[] {target.toString(), target.toString()});
    try (InputStream plain = Files.newInputStream(target.resolve(file));
        InputStream in = file.endsWith(".gz") ? new GZIPInputStream(plain) : plain) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void pageOfTheControlCommandHasEveryCommand() throws Exception {
    String page = written("man/mayflyctl.1.gz");
    assertThat(ControlManual.commands().values().stream().flatMap(List::stream))
        .hasSizeGreaterThan(100)
        .allSatisfy(
            command -> assertThat(page).contains("\\fB" + command.name().replace("-", "\\-")));
    assertThat(page)
        .contains(".TH MAYFLYCTL 1")
        .contains("\\fBMAYFLY_URL, MAYFLY_USER, MAYFLY_PASSWORD\\fR");
  }

  @Test
  void pageOfTheConfigurationHasEveryKey() throws Exception {
    String page = written("man/mayflymq.conf.5.gz");
    assertThat(Keys.ALL)
        .allSatisfy(key -> assertThat(page).contains("\\fB" + key.name() + "\\fR\n"));
  }

  @Test
  void pageOfTheBrokerHasOptionsCommandsAndVariables() throws Exception {
    assertThat(written("man/mayfly.1.gz"))
        .contains("\\fB\\-\\-set KEY=VALUE\\fR", "check\\-data", "\\fBMAYFLY_JAVA_OPTS\\fR");
  }

  @Test
  void completionForZshDescribesCommandsAndOptions() throws Exception {
    assertThat(written("zsh/_mayflyctl"))
        .startsWith("#compdef mayflyctl\n")
        .contains("'list_queues:Lists queues and their properties'", "'--formatter[");
  }

  @Test
  void linesThatBeginWithAMacroAreEscaped() {
    assertThat(new Roff("a", 1, "b \"c\"").paragraph(".x\n'y\\").toString())
        .isEqualTo(".TH A 1 \"\" \"b \\(dqc\\(dq\"\n.PP\n\\&.x\n\\&'y\\e\n");
  }
}
