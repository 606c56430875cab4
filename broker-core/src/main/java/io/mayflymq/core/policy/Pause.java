package io.mayflymq.core.policy;

/** What waits while a queue is paused. */
public enum Pause {
  /** Nothing is handed out. */
  DELIVERIES,
  /** Publishers wait. */
  PUBLISHING,
  /** Neither. */
  BOTH;

  /** The word for it, as policies have it. */
  public String word() {
    return EnumNames.of(this);
  }

  /** Returns what is paused by this one and another. */
  public Pause with(Pause other) {
    return this == other ? this : BOTH;
  }

  /** Whether nothing is handed out. */
  public boolean ofDeliveries() {
    return this != PUBLISHING;
  }

  /** Whether publishers wait. */
  public boolean ofPublishing() {
    return this != DELIVERIES;
  }
}
