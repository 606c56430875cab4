package io.mayflymq.core.security;

/** The kind of access to a resource. */
public enum Permission {
  CONFIGURE("configure"),
  WRITE("write"),
  READ("read");

  private final String text;

  Permission(String text) {
    this.text = text;
  }

  /** The word in RabbitMQ's texts and definitions. */
  @Override
  public String toString() {
    return text;
  }
}
