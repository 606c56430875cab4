package io.mayflymq.core.routing;

import java.util.List;

/** How an exchange chooses one of its bindings. */
interface Choice {
  /** Prepares to choose among these, in an order that depends on nothing but them; never none. */
  Chooser among(List<Binding> bindings);

  /** Whether messages with the same routing key may go different ways. */
  boolean variesByMessage();

  /** Chooses for one message after the other, on any thread. */
  @FunctionalInterface
  interface Chooser {
    /** The place of the chosen one in the list. */
    int choose(String routingKey, MessageProperties properties);
  }
}
