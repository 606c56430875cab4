package io.mayflymq.server.config;

/** How lines of the log are written, by RabbitMQ's names. */
public enum LogFormat {
  /** For people. */
  PLAINTEXT,
  /** An object of JSON in each line, for tools. */
  JSON
}
