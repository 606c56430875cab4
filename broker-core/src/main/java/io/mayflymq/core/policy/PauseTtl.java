package io.mayflymq.core.policy;

/** What becomes of the TTL of the messages of a queue while its deliveries are paused. */
public enum PauseTtl {
  /** It goes on. */
  RUN,
  /** It stands still: when the pause ends, a message has as much of it left as when it began. */
  STOP;

  /** The word for it, as policies have it. */
  public String word() {
    return EnumNames.of(this);
  }
}
