package io.mayflymq.it.harness;

/** How a broker comes to its end. */
public enum Ending {
  /** In order, as a service manager does it. */
  SIGTERM,
  /** From one instruction to the next, as {@code kill -9} does it. */
  KILL
}
