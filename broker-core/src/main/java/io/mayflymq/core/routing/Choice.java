package io.mayflymq.core.routing;

import java.util.List;

/** How an exchange chooses one of its bindings. */
interface Choice {
  /**
   * What the choice needs to know of a binding; computed once for each.
   *
   * @param seed of its destination
   * @param weight more than 0
   */
  record Lot(long seed, double weight) {
    /** Of a choice that treats all bindings alike. */
    static final Lot ALIKE = new Lot(0, 1);
  }

  /** Returns the lot of a binding. */
  default Lot lot(Binding binding) {
    return Lot.ALIKE;
  }

  /**
   * Prepares to choose among bindings by their lots, in an order that depends on the bindings
   * alone; never an empty list.
   */
  Chooser among(List<Lot> lots);

  /** Whether messages with the same routing key may have different destinations. */
  boolean variesByMessage();

  /** Chooses for each message, on any thread. */
  @FunctionalInterface
  interface Chooser {
    /** Returns the index of the chosen binding in the list. */
    int choose(String routingKey, MessageProperties properties);
  }
}
