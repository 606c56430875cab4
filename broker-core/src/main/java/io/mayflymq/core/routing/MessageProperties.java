package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;

/**
 * The properties of a message that is being routed, decoded only if an exchange needs them, which
 * is rare.
 */
@FunctionalInterface
public interface MessageProperties {
  /** No property at all. */
  MessageProperties NONE = () -> BasicProperties.EMPTY;

  /** The properties. May be called several times while one message is routed. */
  BasicProperties properties();

  /** The {@code headers} property, empty if the message has none. */
  default FieldTable headers() {
    FieldTable headers = properties().headers();
    return headers == null ? FieldTable.EMPTY : headers;
  }
}
