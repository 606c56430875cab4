package io.mayflymq.server.boot;

/** The exit codes of the process; from 64 on they are those of sysexits.h. */
final class ExitCode {
  /** Done, or stopped in order after SIGTERM or SIGINT. */
  public static final int OK = 0;

  /** Could not start, or could not stop in order: a port in use, an unwritable directory. */
  public static final int FAILURE = 1;

  /**
   * Java had no memory left. The number is what Java itself ends with when it is started with
   * {@code -XX:+ExitOnOutOfMemoryError}.
   */
  public static final int OUT_OF_MEMORY = 3;

  /** An essential part of the broker has failed while it ran (EX_SOFTWARE). */
  public static final int FATAL = 70;

  /** The command line is not valid (EX_USAGE). */
  public static final int USAGE = 64;

  /**
   * What was to be read is damaged, or files of the data directory are missing, damaged, older than
   * others or another broker's (EX_DATAERR).
   */
  public static final int DATA = 65;

  /** The input does not exist, or cannot be read (EX_NOINPUT). */
  public static final int NO_INPUT = 66;

  /** The configuration is wrong (EX_CONFIG). */
  public static final int CONFIG = 78;

  private ExitCode() {}
}
