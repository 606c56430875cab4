package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ErlangText;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;

/**
 * {@code x-consistent-hash}: messages with the same routing key, header or property go to the same
 * destination, and to each of them in proportion to its weight, the binding key.
 *
 * <p>Each destination gets a score from its name and the hashed value; the highest score wins
 * (weighted rendezvous hashing). So a new destination takes only the keys that it wins, a removed
 * one only gives up the keys that it had, and the order of bindings does not matter. A destination
 * that is bound twice counts with the higher weight.
 *
 * <p>Source of the rules and texts: RabbitMQ's plugin. The assignment of keys to destinations
 * differs from RabbitMQ's.
 */
final class ConsistentHash implements Choice {
  private static final String HASH_HEADER = "hash-header";
  private static final String HASH_PROPERTY = "hash-property";
  private static final Set<String> PROPERTIES = Set.of("correlation_id", "message_id", "timestamp");
  private static final BigInteger MOST_WEIGHT = BigInteger.valueOf(10_000);
  private static final double STEPS = 0x1p53;

  /** What the scores that are ruled out may be wrong by, relatively. */
  private static final double ROUNDING = 1e-9;

  private final String header;
  private final String property;

  private ConsistentHash(String header, String property) {
    this.header = header;
    this.property = property;
  }

  /** The choice that the valid arguments of an exchange ask for. */
  public static ConsistentHash of(FieldTable arguments) {
    return new ConsistentHash(text(arguments, HASH_HEADER), text(arguments, HASH_PROPERTY));
  }

  private static String text(FieldTable arguments, String name) {
    return arguments.get(name) instanceof FieldValue.LongString text ? text.string() : null;
  }

  /**
   * Checks the arguments of an exchange.
   *
   * @throws ChannelException 406
   */
  public static void validate(FieldTable arguments) {
    FieldValue header = textOrNull(arguments, HASH_HEADER);
    FieldValue property = textOrNull(arguments, HASH_PROPERTY);
    if (header != null && property != null) {
      throw invalid("hash-header and hash-property are mutually exclusive");
    }
    if (property instanceof FieldValue.LongString name && !PROPERTIES.contains(name.string())) {
      throw invalid("Unsupported property: " + name.string());
    }
  }

  private static FieldValue textOrNull(FieldTable arguments, String name) {
    FieldValue value = arguments.get(name);
    if (value != null && !(value instanceof FieldValue.LongString)) {
      throw invalid("invalid type '%s' for arg '%s'".formatted(value.rabbitTypeName(), name));
    }
    return value;
  }

  /**
   * Checks a weight.
   *
   * @throws ChannelException 406 if it is not an integer from 1 to 10000
   */
  public static void validateWeight(String bindingKey) {
    try {
      BigInteger weight = new BigInteger(bindingKey);
      if (weight.signum() < 1) {
        throw invalid("The binding key must be greater than 0");
      }
      if (weight.compareTo(MOST_WEIGHT) > 0) {
        throw invalid("The binding key must not exceed " + MOST_WEIGHT);
      }
    } catch (NumberFormatException e) {
      throw invalid(
          "The binding key must be an integer: " + ErlangText.of(FieldValue.of(bindingKey)));
    }
  }

  private static ChannelException invalid(String detail) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, detail);
  }

  @Override
  public boolean variesByMessage() {
    return header != null || property != null;
  }

  @Override
  public Lot lot(Binding binding) {
    return new Lot(
        TextHash.of(binding.destinationKind() + " " + binding.destination()),
        new BigInteger(binding.routingKey()).doubleValue());
  }

  @Override
  public Chooser among(List<Lot> lots) {
    int count = lots.size();
    long[] seeds = new long[count];
    double[] weights = new double[count];
    for (int i = 0; i < count; i++) {
      Lot lot = lots.get(i);
      seeds[i] = lot.seed();
      weights[i] = lot.weight();
    }
    return (routingKey, properties) -> best(seeds, weights, hashed(routingKey, properties));
  }

  private static int best(long[] seeds, double[] weights, String hashed) {
    long hash = TextHash.of(hashed);
    int best = 0;
    double bestScore = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < seeds.length; i++) {
      // Evenly in (0, 1]; the logarithm makes the odds of the maximum those of the weights.
      double drawn = ((TextHash.mix(hash ^ seeds[i]) >>> 11) + 1) / STEPS;
      // ln x <= x - 1, so most need no logarithm, which would take most of the time.
      if (drawn - 1 < bestScore * (1 + ROUNDING) * weights[i]) {
        continue;
      }
      double score = Math.log(drawn) / weights[i];
      if (score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    return best;
  }

  /** Returns the hashed value; without the header or property it is the same for all messages. */
  private String hashed(String routingKey, MessageProperties message) {
    if (header != null) {
      return text(message.headers().get(header));
    }
    if (property == null) {
      return routingKey;
    }
    BasicProperties properties = message.properties();
    Object value =
        switch (property) {
          case "correlation_id" -> properties.correlationId();
          case "message_id" -> properties.messageId();
          default -> properties.timestamp();
        };
    return value == null ? "" : value.toString();
  }

  private static String text(FieldValue value) {
    if (value == null) {
      return "";
    }
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    return value.isInteger() ? Long.toString(value.longValue()) : value.toString();
  }
}
