package io.mayflymq.server.config;

/** RabbitMQ's log levels, from the most talkative to silence. */
public enum LogLevel {
  DEBUG,
  INFO,
  NOTICE,
  WARNING,
  ERROR,
  CRITICAL,
  ALERT,
  EMERGENCY,
  NONE
}
