package io.mayflymq.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LoginThrottleTest {
  private static final long NOW = 1_700_000_000_000L;

  private final LoginThrottle throttle = new LoginThrottle();

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private long[] failures(String from, int count) {
    return LongStream.range(0, count).map(i -> throttle.failed(address(from), NOW)).toArray();
  }

  @Test
  void loginPauseDoublesAfterTheFreeFailuresUpToALimit() {
    assertThat(failures("10.0.0.1", 13))
        .containsExactly(0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000);
    assertThat(failures("10.0.0.1", 100)).containsOnly(5000);
  }

  @Test
  void minuteWithoutALoginFailureResetsThePause() {
    failures("10.0.0.1", 6);
    long later = NOW + LoginThrottle.FORGIVEN_AFTER_MILLIS;
    assertThat(throttle.failed(address("10.0.0.1"), later)).isEqualTo(200);
    long muchLater = later + LoginThrottle.FORGIVEN_AFTER_MILLIS + 1;
    assertThat(throttle.failed(address("10.0.0.1"), muchLater)).isZero();
  }

  @Test
  void loginFailuresAreCountedPerIpv6Network() {
    failures("2001:db8::1", LoginThrottle.FREE_FAILURES);
    assertThat(failures("2001:db8::2:3", 1)).containsExactly(100);
    assertThat(failures("2001:db8:0:1::1", 1)).containsExactly(0);
  }

  @Test
  void addressWithManyLoginFailuresIsKeptDespiteManyOtherAddresses() {
    failFromOthers(192, 20_000);
    failures("10.0.0.1", 20);
    failFromOthers(193, 30_000);
    assertThat(failures("10.0.0.1", 1)).containsExactly(5000);
  }

  private void failFromOthers(int network, int count) {
    for (int i = 0; i < count; i++) {
      throttle.failed(address("%d.%d.%d.1".formatted(network, i >> 8, i & 0xff)), NOW);
    }
  }
}
