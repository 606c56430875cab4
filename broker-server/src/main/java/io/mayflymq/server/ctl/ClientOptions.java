package io.mayflymq.server.ctl;

/** The options of a command that say how to reach the broker. */
interface ClientOptions {
  /** The value of an option, or null. */
  String option(String name);

  /** Returns the name of the command, for errors. */
  String commandName();

  /**
   * Returns whether the command itself has an option of this name, which then is about something
   * else.
   */
  boolean hasOwn(String option);

  /** Returns how the commands are called: {@code mayflyctl}, or {@code rabbitmqctl}. */
  String script();

  /** Returns whether nothing may change. */
  boolean dryRun();

  /** Returns how long an answer may take, in seconds. */
  long timeoutSeconds();
}
