package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What is put into messages before they are routed: when they arrived, and at which node.
 * Immutable.
 *
 * <p>Source: RabbitMQ 4.3, {@code rabbit_msg_interceptor_timestamp} and {@code
 * rabbit_msg_interceptor_routing_node}.
 */
public final class IncomingStamps {
  /** The header with the time in ms since the epoch. */
  public static final String TIME = "timestamp_in_ms";

  /** The header with the name of the node. */
  public static final String NODE = "x-routed-by";

  private final Optional<Boolean> time;
  private final Optional<Boolean> routed;
  private final FieldValue node;
  private final InstantSource clock;

  /**
   * @param time whether a time that the publisher has set is replaced; empty if no time is put
   * @param routed the same of the node
   * @param node the name of the node
   */
  public IncomingStamps(
      Optional<Boolean> time, Optional<Boolean> routed, String node, InstantSource clock) {
    this.time = time;
    this.routed = routed;
    this.node = FieldValue.of(node);
    this.clock = clock;
  }

  /**
   * Returns the content of a message with stamps.
   *
   * @param content property flags and list, then the body
   * @param propertiesLength how many bytes of it are not the body; grows by as much as the content
   * @throws io.mayflymq.protocol.types.ConnectionException 502 if the properties cannot be read
   */
  public byte[] put(byte[] content, int propertiesLength) {
    BasicProperties properties = BasicProperties.decode(content, 0, propertiesLength);
    BasicProperties.Builder stamped = properties.toBuilder();
    FieldTable headers = properties.headers() == null ? FieldTable.EMPTY : properties.headers();
    if (time.isPresent()) {
      long millis = clock.millis();
      headers = with(headers, TIME, new FieldValue.Int64(millis), time.get());
      if (time.get() || properties.timestamp() == null) {
        stamped.timestamp(TimeUnit.MILLISECONDS.toSeconds(millis));
      }
    }
    if (routed.isPresent()) {
      headers = with(headers, NODE, node, routed.get());
    }
    byte[] changed = stamped.headers(headers).build().encode();
    byte[] whole = new byte[changed.length + content.length - propertiesLength];
    System.arraycopy(changed, 0, whole, 0, changed.length);
    System.arraycopy(
        content, propertiesLength, whole, changed.length, content.length - propertiesLength);
    return whole;
  }

  private static FieldTable with(
      FieldTable headers, String name, FieldValue value, boolean overwrites) {
    return !overwrites && headers.containsKey(name) ? headers : headers.with(name, value);
  }
}
