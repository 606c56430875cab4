package io.mayflymq.server.management.auth;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Logins at the API: how many there were, and how many failed. Any thread may call. */
public final class AuthAttempts {
  private final LongAdder succeeded = new LongAdder();
  private final LongAdder failed = new LongAdder();

  void succeeded() {
    succeeded.increment();
  }

  void failed() {
    failed.increment();
  }

  public void reset() {
    succeeded.reset();
    failed.reset();
  }

  public List<Map<String, Object>> list() {
    long good = succeeded.sum();
    long bad = failed.sum();
    return List.of(
        Json.object(
            "protocol",
            "http",
            "auth_attempts",
            good + bad,
            "auth_attempts_failed",
            bad,
            "auth_attempts_succeeded",
            good));
  }
}
