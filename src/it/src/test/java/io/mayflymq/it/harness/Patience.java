package io.mayflymq.it.harness;

import java.time.Duration;

/**
 * How long a test waits for what must happen before it fails: long enough for a broker on a quarter
 * of a processor. What must not be late is tested with a manual clock or measured in {@code
 * src/bench}, not here.
 */
public final class Patience {
  /** In seconds. */
  public static final int SECONDS = 60;

  /** In ms. */
  public static final int MILLIS = SECONDS * 1_000;

  /** The same time. */
  public static final Duration TIME = Duration.ofSeconds(SECONDS);

  /** A time that is reached only by what has been forgotten, in ms. */
  public static final double FORGOTTEN_MILLIS = 45_000;

  private Patience() {}
}
