package io.mayflymq.server.ctl.client;

/** What a command was told about the broker that it is for, and how to ask it. */
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
