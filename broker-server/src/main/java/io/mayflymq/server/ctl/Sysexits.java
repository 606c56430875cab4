package io.mayflymq.server.ctl;

/** The exit codes of RabbitMQ's command line tools, which are those of sysexits.h. */
final class Sysexits {
  public static final int OK = 0;

  /** The command line is not one (EX_USAGE). */
  public static final int USAGE = 64;

  /** The input is wrong: a virtual host that does not exist, a file (EX_DATAERR). */
  public static final int DATA = 65;

  /** There is no such user (EX_NOUSER). */
  public static final int NO_USER = 67;

  /** The broker does not answer, or refuses (EX_UNAVAILABLE). */
  public static final int UNAVAILABLE = 69;

  /** The object to create exists already (EX_SOFTWARE). */
  public static final int SOFTWARE = 70;

  /** The broker did not answer in time (EX_TEMPFAIL). */
  public static final int TIMEOUT = 75;

  /** The configuration that tells where the broker is cannot be read (EX_CONFIG). */
  static final int CONFIG = 78;

  private Sysexits() {}
}
