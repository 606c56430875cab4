package io.mayflymq.server.management.api;

import io.mayflymq.server.http.BodyLimit;
import java.util.concurrent.TimeUnit;

/** The limits of the bodies of the API's requests. */
public final class BodyLimits {
  /** The limit of most requests, whose body is an object with a few fields. */
  static final BodyLimit SMALL = new BodyLimit(1 << 20, (int) TimeUnit.SECONDS.toMillis(30));

  private static final int LARGE_MILLIS = (int) TimeUnit.MINUTES.toMillis(10);

  private BodyLimits() {}

  /** Returns a limit for large bodies, such as definitions and messages. */
  public static BodyLimit large(int maxBytes) {
    return new BodyLimit(maxBytes, LARGE_MILLIS);
  }
}
