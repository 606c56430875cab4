package io.mayflymq.core.security;

/** The limits of virtual hosts and users, by their names in RabbitMQ. */
public enum Limit {
  /** Connections that are open at a time; of a virtual host or of a user. */
  MAX_CONNECTIONS("max-connections"),
  /** Queues that exist at a time; of a virtual host. */
  MAX_QUEUES("max-queues"),
  /** Exchanges that exist at a time, with the broker's own; of a virtual host. */
  MAX_EXCHANGES("max-exchanges"),
  /** Bindings that exist at a time, without the implicit ones; of a virtual host. */
  MAX_BINDINGS("max-bindings"),
  /** Bytes of memory that exchanges, queues and bindings take, about; of a virtual host. */
  MAX_METADATA_BYTES("max-metadata-bytes"),
  /** Channels that are open at a time, on all connections together; of a user. */
  MAX_CHANNELS("max-channels"),
  /** Messages that are published within a second on a node; of a virtual host or of a user. */
  PUBLISH_RATE("publish-rate"),
  /** How many of these at once; of a virtual host or of a user. */
  PUBLISH_BURST("publish-burst"),
  /** Messages that consumers get within a second on a node; of a virtual host or of a user. */
  DELIVERY_RATE("delivery-rate"),
  /** How many of these at once; of a virtual host or of a user. */
  DELIVERY_BURST("delivery-burst");

  private final String key;

  Limit(String key) {
    this.key = key;
  }

  /** The name in definitions and on the command line. */
  public String key() {
    return key;
  }

  /** Whether it bounds how fast something happens; else how much there is. */
  public boolean isRate() {
    return switch (this) {
      case PUBLISH_RATE, PUBLISH_BURST, DELIVERY_RATE, DELIVERY_BURST -> true;
      default -> false;
    };
  }

  /** The limit of this name, or null if there is none. */
  public static Limit ofKey(String key) {
    for (Limit limit : values()) {
      if (limit.key.equals(key)) {
        return limit;
      }
    }
    return null;
  }
}
