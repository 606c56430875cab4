package io.mayflymq.core.security;

import io.mayflymq.core.runtime.BoundedCaches;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ConcurrentMap;

/**
 * Slows down password guessing: after some failures from an address, each further refusal from
 * there is delayed for longer. Only refusals are delayed; a correct password is answered at once,
 * so a program that keeps using an old password does not lock out others on its machine.
 *
 * <p>An IPv6 address counts as its network of 64 bits, all of which one customer usually has. Holds
 * a bounded number of networks, and forgets first those with few failures. Any thread may call.
 */
public final class LoginThrottle {
  /** How many failures are answered at once. */
  static final int FREE_FAILURES = 5;

  /** How long the first refusal after them is held back; each one for twice as long. */
  static final long FIRST_PAUSE_MILLIS = 100;

  static final long LONGEST_PAUSE_MILLIS = 5_000;

  /** How long an address must be without a failure to begin anew. */
  static final long FORGIVEN_AFTER_MILLIS = 60_000;

  private static final int MOST_NETWORKS = 10_000;

  /** The failures from a network since it was last forgiven. */
  private record Failures(int count, long lastMillis) {
    static Failures add(Failures earlier, long nowMillis) {
      boolean forgiven = earlier == null || nowMillis - earlier.lastMillis > FORGIVEN_AFTER_MILLIS;
      return new Failures(forgiven ? 1 : earlier.count + 1, nowMillis);
    }

    long pauseMillis() {
      int beyond = count - FREE_FAILURES;
      if (beyond <= 0) {
        return 0;
      }
      return beyond > 16
          ? LONGEST_PAUSE_MILLIS
          : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (beyond - 1));
    }
  }

  private final ConcurrentMap<ByteBuffer, Failures> byNetwork =
      BoundedCaches.<ByteBuffer, Failures>of(MOST_NETWORKS).asMap();

  /** Counts a failure, and returns how long its answer is to be delayed, in ms. */
  public long failed(InetAddress address, long nowMillis) {
    return byNetwork
        .compute(network(address), (network, earlier) -> Failures.add(earlier, nowMillis))
        .pauseMillis();
  }

  private static ByteBuffer network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return ByteBuffer.wrap(address instanceof Inet6Address ? Arrays.copyOf(bytes, 8) : bytes);
  }
}
