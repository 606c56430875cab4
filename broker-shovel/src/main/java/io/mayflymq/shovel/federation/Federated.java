package io.mayflymq.shovel.federation;

import java.util.Map;

/**
 * An exchange or a queue of this broker that a policy federates, or a queue that an upstream names.
 *
 * @param kind what it is
 * @param vhost its virtual host
 * @param name its name
 * @param type of an exchange, as AMQP names it; empty for a queue
 * @param durable whether it is
 * @param autoDelete whether it is
 * @param arguments of its declaration, as the client has them
 * @param selection which upstreams its policy gives it
 * @param isHere whether its links are on this node of a cluster
 */
public record Federated(
    Kind kind,
    String vhost,
    String name,
    String type,
    boolean durable,
    boolean autoDelete,
    Map<String, Object> arguments,
    Selection selection,
    boolean isHere) {

  /** What is federated. */
  public enum Kind {
    EXCHANGE,
    QUEUE;

    /** Returns the word that the API has for it. */
    public String wireName() {
      return this == EXCHANGE ? "exchange" : "queue";
    }
  }
}
