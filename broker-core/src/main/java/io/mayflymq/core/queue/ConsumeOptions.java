package io.mayflymq.core.queue;

import io.mayflymq.protocol.types.FieldTable;

/**
 * What {@code basic.consume} asks for.
 *
 * @param acknowledges whether messages stay unacknowledged until settled
 * @param exclusive whether it must be the only consumer
 * @param prefetch how many messages it may have unacknowledged, 0 for no limit (per consumer, as
 *     {@code basic.qos} with {@code global=false} means in RabbitMQ)
 * @param arguments the arguments of the method
 */
public record ConsumeOptions(
    boolean acknowledges, boolean exclusive, int prefetch, FieldTable arguments) {
  /** A consumer that acknowledges, without limit or arguments. */
  public static final ConsumeOptions DEFAULT = new ConsumeOptions(true, false, 0, FieldTable.EMPTY);
}
