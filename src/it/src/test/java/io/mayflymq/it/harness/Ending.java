package io.mayflymq.it.harness;

/** How a broker is ended. */
public enum Ending {
  /** An orderly stop, as by a service manager. */
  SIGTERM,
  /** An immediate end, as by {@code kill -9}. */
  KILL
}
