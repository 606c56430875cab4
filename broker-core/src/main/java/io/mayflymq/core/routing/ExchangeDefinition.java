package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.Objects;

/**
 * The properties of an exchange as declared.
 *
 * @param name unique in its virtual host; empty for the default exchange
 * @param durable whether it survives a restart
 * @param autoDelete whether it is deleted with the last of its bindings as a source
 * @param internal whether clients may not publish to it
 * @param arguments the declare arguments, of which {@code alternate-exchange} concerns routing
 */
public record ExchangeDefinition(
    String name,
    ExchangeType type,
    boolean durable,
    boolean autoDelete,
    boolean internal,
    FieldTable arguments) {

  /** The argument that names the alternate exchange (rabbitmq.com/docs/ae). */
  public static final String ALTERNATE_EXCHANGE = "alternate-exchange";

  /** The exchange that the firehose tracer publishes to (rabbitmq.com/docs/firehose). */
  public static final String TRACE = "amq.rabbitmq.trace";

  /** The exchange that the broker's events are published to (RabbitMQ, "Event Exchange Plugin"). */
  public static final String EVENT = "amq.rabbitmq.event";

  /** The default exchange, which every virtual host has and which cannot be bound or deleted. */
  public static final ExchangeDefinition DEFAULT = durable("", ExchangeType.DIRECT);

  public ExchangeDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(arguments, "arguments");
  }

  /** A durable exchange without arguments. */
  public static ExchangeDefinition durable(String name, ExchangeType type) {
    return new ExchangeDefinition(name, type, true, false, false, FieldTable.EMPTY);
  }

  /**
   * The exchanges that RabbitMQ creates with each virtual host, without the default exchange (AMQP
   * 0-9-1, section 3.1.3; the trace exchange is RabbitMQ's).
   */
  public static List<ExchangeDefinition> predeclared() {
    return List.of(
        durable("amq.direct", ExchangeType.DIRECT),
        durable("amq.fanout", ExchangeType.FANOUT),
        durable("amq.topic", ExchangeType.TOPIC),
        durable("amq.headers", ExchangeType.HEADERS),
        durable("amq.match", ExchangeType.HEADERS),
        internal(TRACE));
  }

  /** A durable topic exchange that only the broker publishes to. */
  public static ExchangeDefinition internal(String name) {
    return new ExchangeDefinition(name, ExchangeType.TOPIC, true, false, true, FieldTable.EMPTY);
  }

  public boolean isDefault() {
    return name.isEmpty();
  }

  /** The type whose rules it routes by: a delayed exchange has those of another. */
  public ExchangeType routingType() {
    return type == ExchangeType.X_DELAYED_MESSAGE ? DelayedType.of(arguments) : type;
  }

  /**
   * Whether its routing keys are topics, for which users may need topic permissions: also those of
   * a delayed exchange that routes by the rules of topics.
   */
  public boolean hasTopics() {
    return type == ExchangeType.TOPIC
        || (type == ExchangeType.X_DELAYED_MESSAGE && DelayedType.isTopic(arguments));
  }

  /** The alternate exchange that the arguments name, or null if they name none. */
  public String alternateExchange() {
    return arguments.get(ALTERNATE_EXCHANGE) instanceof FieldValue.LongString alternate
        ? alternate.string()
        : null;
  }
}
