package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainArgumentsTest {
  private static Optional<ServerOptions> parse(String line) {
    return PlainArguments.parse(line.isEmpty() ? new String[0] : line.split(" "));
  }

  @Test
  void plainArgumentsAreRead() {
    ServerOptions none = new ServerOptions(Optional.empty(), List.of(), false);
    assertThat(parse("")).contains(none);
    assertThat(parse("server")).contains(none);
    ServerOptions some =
        new ServerOptions(Optional.of(Path.of("a.conf")), List.of("a=1", "b=2"), false);
    assertThat(parse("--set a=1 --config a.conf --set b=2")).contains(some);
    assertThat(parse("server --config a.conf --set a=1 --set b=2")).contains(some);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "--set",
        "--set --help",
        "--set=a=1",
        "--config a --config b",
        "--set a=1 server",
        "check-data d",
        "--accept-loss",
        "frob"
      })
  void otherArgumentsAreLeftToTheParser(String line) {
    assertThat(parse(line)).isEmpty();
  }
}
