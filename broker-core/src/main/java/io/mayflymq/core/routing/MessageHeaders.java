package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;

/**
 * The headers of a message that is being routed, decoded only when a headers exchange asks for
 * them: most messages never meet one.
 */
@FunctionalInterface
public interface MessageHeaders {
  /** No headers. */
  MessageHeaders NONE = () -> FieldTable.EMPTY;

  /**
   * The {@code headers} property, empty if the message has none. May be called several times while
   * one message is routed.
   */
  FieldTable headers();
}
