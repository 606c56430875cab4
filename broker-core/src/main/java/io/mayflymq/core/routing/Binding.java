package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import java.util.Objects;

/**
 * A route from an exchange to a queue or to another exchange. Two bindings are the same if all
 * their fields are equal (AMQP 0-9-1, section 1.7.2.3: duplicate bindings are ignored).
 *
 * @param source name of the exchange that messages come from, never the default exchange
 * @param destinationKind what {@code destination} names
 * @param destination name of the queue or exchange that messages go to
 * @param routingKey the binding key; its meaning depends on the type of the source exchange
 * @param arguments what a headers exchange matches; ignored by other types
 */
public record Binding(
    String source,
    DestinationKind destinationKind,
    String destination,
    String routingKey,
    FieldTable arguments) {

  public Binding {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(destinationKind, "destinationKind");
    Objects.requireNonNull(destination, "destination");
    Objects.requireNonNull(routingKey, "routingKey");
    Objects.requireNonNull(arguments, "arguments");
  }

  /** A binding of a queue, without arguments. */
  public static Binding toQueue(String source, String queue, String routingKey) {
    return new Binding(source, DestinationKind.QUEUE, queue, routingKey, FieldTable.EMPTY);
  }

  /** A binding of an exchange, without arguments. */
  public static Binding toExchange(String source, String exchange, String routingKey) {
    return new Binding(source, DestinationKind.EXCHANGE, exchange, routingKey, FieldTable.EMPTY);
  }

  /** Returns the same binding of another queue or exchange. */
  public Binding to(String other) {
    return new Binding(source, destinationKind, other, routingKey, arguments);
  }

  /**
   * The same in every run, unlike the generated method, as an enum hashes by identity: the order of
   * destinations depends on it, and replaying a log must reproduce that order.
   */
  @Override
  public int hashCode() {
    int hash = source.hashCode();
    hash = 31 * hash + destinationKind.toString().hashCode();
    hash = 31 * hash + destination.hashCode();
    hash = 31 * hash + routingKey.hashCode();
    return 31 * hash + arguments.hashCode();
  }
}
