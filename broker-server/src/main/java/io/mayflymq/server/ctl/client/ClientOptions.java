package io.mayflymq.server.ctl.client;

/** The options of a command that say how to reach the broker. */
public interface ClientOptions {
  /** The value of an option, or null. */
  String option(String name);

  /** The name of the command, for errors. */
  String commandName();

  /** Whether the command itself has an option of this name, which then is about something else. */
  boolean hasOwn(String option);

  /** How the commands are called: {@code mayflyctl}, or {@code rabbitmqctl}. */
  String script();

  /** Whether nothing may change. */
  boolean dryRun();

  /** How long an answer may take, in seconds. */
  long timeoutSeconds();
}
