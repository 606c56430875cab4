package io.mayflymq.core.security;

/** What a permission is about. */
public enum ResourceKind {
  QUEUE("queue"),
  EXCHANGE("exchange");

  private final String text;

  ResourceKind(String text) {
    this.text = text;
  }

  /** The word in RabbitMQ's texts. */
  @Override
  public String toString() {
    return text;
  }
}
