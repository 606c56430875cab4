package io.mayflymq.server.definitions;

import java.util.Locale;

/** What a lint of definitions looks for. {@code docs/lint.md} has a section for each. */
public enum LintRule {
  INVALID("invalid", Level.ERROR, "a definition that is wrong and would be left out"),
  DEAD_LETTER_EXCHANGE_MISSING(
      "dead-letter-exchange-missing",
      Level.ERROR,
      "a dead letter exchange that does not exist: dead messages are lost"),
  DEAD_LETTER_UNROUTABLE(
      "dead-letter-unroutable",
      Level.ERROR,
      "dead letters that no binding leads to a queue: they are lost"),
  DEAD_LETTER_CYCLE(
      "dead-letter-cycle", Level.ERROR, "messages that consumers reject come back without a pause"),
  ALTERNATE_EXCHANGE_MISSING(
      "alternate-exchange-missing",
      Level.ERROR,
      "an alternate exchange that does not exist: unroutable messages are lost"),
  BINDING_TO_NOTHING(
      "binding-to-nothing",
      Level.ERROR,
      "a binding from or to something that does not exist, and would be left out"),
  DEADLINE_EXCHANGE_MISSING(
      "deadline-exchange-missing",
      Level.ERROR,
      "an exchange for notices of deadlines that does not exist"),
  MISTYPED_ARGUMENT(
      "mistyped-argument",
      Level.WARNING,
      "an argument that is not known, and one edit away from one that is"),
  AT_LEAST_ONCE_WITHOUT_EFFECT(
      "at-least-once-without-effect",
      Level.WARNING,
      "at-least-once dead-lettering has no effect with the overflow drop-head"),
  TTL_LONGER_THAN_LEASE(
      "ttl-longer-than-lease",
      Level.WARNING,
      "the queue is deleted, with its messages, before they expire"),
  RETURNED_MESSAGES_DROPPED(
      "returned-messages-dropped",
      Level.WARNING,
      "messages that were returned too often are dropped"),
  DROPS_WHEN_FULL(
      "drops-when-full", Level.WARNING, "the oldest messages of a full queue are dropped"),
  RECOVERABLE_WITHOUT_EFFECT(
      "recoverable-without-effect",
      Level.WARNING,
      "what is to be brought back cannot be, as no time is set for it"),
  STARTS_PAUSED("starts-paused", Level.WARNING, "a queue that is paused from the beginning"),
  EQUAL_PRIORITIES(
      "equal-priorities",
      Level.WARNING,
      "policies of one priority match the same object: RabbitMQ leaves open which one applies"),
  DEADLINE_WITHOUT_EFFECT(
      "deadline-without-effect",
      Level.NOTE,
      "settings of deadlines in a queue in which messages have none"),
  BLOCK_WITHOUT_EFFECT(
      "block-without-effect", Level.NOTE, "publishers that are to wait at a limit, and never do"),
  BURST_WITHOUT_EFFECT(
      "burst-without-effect", Level.NOTE, "how many messages of a rate come at once, without one"),
  POLICY_MATCHES_NOTHING(
      "policy-matches-nothing", Level.NOTE, "a policy that applies to nothing in the file"),
  POLICY_HIDDEN(
      "policy-hidden",
      Level.NOTE,
      "a policy that others hide wherever it matches, as only one of them applies"),
  EXCHANGE_WITHOUT_BINDINGS(
      "exchange-without-bindings",
      Level.NOTE,
      "an exchange without bindings: what is published to it is lost");

  /** How grave it is. */
  public enum Level {
    /** Something is lost, or does not work. */
    ERROR,
    /** Something may be lost. */
    WARNING,
    /** Something is without effect, or depends on what clients declare. */
    NOTE;

    /** Returns the word for it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final String id;
  private final Level level;
  private final String summary;

  LintRule(String id, Level level, String summary) {
    this.id = id;
    this.level = level;
    this.summary = summary;
  }

  /** Returns its name. */
  public String id() {
    return id;
  }

  /** Returns how grave what it finds is. */
  public Level level() {
    return level;
  }

  /** Returns what it finds. */
  public String summary() {
    return summary;
  }
}
