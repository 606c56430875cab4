package io.mayflymq.server.management.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostCheckTest {
  private static final Set<String> NAMES = Set.of("Broker.example.com", "laptop");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:15672",
        "LocalHost.:15672",
        "localhost:",
        " localhost ",
        "127.0.0.1",
        "127.0.0.1:15672",
        "10.0.0.7:80",
        "[::1]",
        "[::1]:15672",
        "[fe80::1%25eth0]:15672",
        "[::ffff:127.0.0.1]",
        "broker.example.com:443",
        "BROKER.EXAMPLE.COM.",
        "laptop:15672"
      })
  void addressesLocalhostAndConfiguredNamesAreAllowed(String host) {
    assertThat(HostCheck.isOwn(host, NAMES)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        ":15672",
        "evil.example",
        "evil.example:15672",
        "localhost.evil.example",
        "evil.localhost",
        "localhost..",
        "localhost:15672:1",
        "localhost:evil",
        "localhost evil",
        "localhost@evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "::1",
        "[::1",
        "[evil.example]",
        "[::1]evil",
        "[::1].evil.example:80",
        "[::1]@evil.example",
        "a.broker.example.com",
        "laptop.evil.example",
        "ſlocalhost",
        "LOCALHOſT"
      })
  void anyOtherNameIsNot(String host) {
    assertThat(HostCheck.isOwn(host, NAMES)).isFalse();
  }
}
