package io.mayflymq.core.routing.choice;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.route.MessageProperties;
import java.util.List;

/** How an exchange chooses one of its bindings. */
interface Choice {
  /**
   * Prepares to choose among these bindings, in an order that depends on them alone; never an empty
   * list.
   */
  Chooser among(List<Binding> bindings);

  /** Whether messages with the same routing key may have different destinations. */
  boolean variesByMessage();

  /** Chooses for each message, on any thread. */
  @FunctionalInterface
  interface Chooser {
    /** Returns the index of the chosen binding in the list. */
    int choose(String routingKey, MessageProperties properties);
  }
}
