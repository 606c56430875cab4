package io.mayflymq.core.routing;

/** The kinds of destination of a binding. */
public enum DestinationKind {
  QUEUE("queue"),
  EXCHANGE("exchange");

  private final String text;

  DestinationKind(String text) {
    this.text = text;
  }

  /** The word in RabbitMQ's texts and in the {@code destination_type} of its management API. */
  @Override
  public String toString() {
    return text;
  }
}
