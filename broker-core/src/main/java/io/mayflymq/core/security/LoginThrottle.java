package io.mayflymq.core.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down password guessing: after some failures from an address, each further refusal from
 * there is delayed for longer. Only refusals are delayed; a correct password is answered at once,
 * so a program that keeps using an old password does not lock out others on its machine.
 *
 * <p>An IPv6 address counts as its network of 64 bits, all of which one customer usually has. Holds
 * a bounded number of addresses, and forgets the one that failed longest ago. Any thread may call.
 */
public final class LoginThrottle {
  /** How many failures are answered at once. */
  static final int FREE_FAILURES = 5;

  /** How long the first refusal after them is held back; each one for twice as long. */
  static final long FIRST_PAUSE_MILLIS = 100;

  static final long LONGEST_PAUSE_MILLIS = 5_000;

  /** How long an address must be without a failure to begin anew. */
  static final long FORGIVEN_AFTER_MILLIS = 60_000;

  private static final int MOST_ADDRESSES = 10_000;

  private static final class Failures {
    private int count;
    private long lastMillis;
  }

  private final Map<ByteBuffer, Failures> byAddress =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Failures> eldest) {
          return size() > MOST_ADDRESSES;
        }
      };

  /** Counts a failure, and returns how long its answer is to be delayed, in ms. */
  public synchronized long failed(InetAddress address, long nowMillis) {
    Failures failures = byAddress.computeIfAbsent(network(address), absent -> new Failures());
    if (nowMillis - failures.lastMillis > FORGIVEN_AFTER_MILLIS) {
      failures.count = 0;
    }
    failures.lastMillis = nowMillis;
    failures.count++;
    int beyond = failures.count - FREE_FAILURES;
    if (beyond <= 0) {
      return 0;
    }
    return beyond > 16
        ? LONGEST_PAUSE_MILLIS
        : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (beyond - 1));
  }

  private static ByteBuffer network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return ByteBuffer.wrap(address instanceof Inet6Address ? Arrays.copyOf(bytes, 8) : bytes);
  }
}
