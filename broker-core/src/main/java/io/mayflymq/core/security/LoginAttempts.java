package io.mayflymq.core.security;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How many logins there were, by protocol, and how many failed. Any thread may call. */
public final class LoginAttempts {
  /** The protocols that users log in by. */
  public enum Protocol {
    AMQP091,
    HTTP;

    /** Returns its name in RabbitMQ's metrics. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Protocol, LongAdder> succeeded = new EnumMap<>(Protocol.class);
  private final Map<Protocol, LongAdder> failed = new EnumMap<>(Protocol.class);

  LoginAttempts() {
    for (Protocol protocol : Protocol.values()) {
      succeeded.put(protocol, new LongAdder());
      failed.put(protocol, new LongAdder());
    }
  }

  /** Counts a login that was accepted or refused. */
  public void count(Protocol protocol, boolean accepted) {
    (accepted ? succeeded : failed).get(protocol).increment();
  }

  /** Returns how many logins have succeeded. */
  public long succeeded(Protocol protocol) {
    return succeeded.get(protocol).sum();
  }

  /** Returns how many logins have failed. */
  public long failed(Protocol protocol) {
    return failed.get(protocol).sum();
  }
}
