package io.mayflymq.core.routing;

/**
 * An exchange that a binding leads to: its name only, since the node behind it is replaced each
 * time something is bound to it, and tables must not hold the nodes of other tables.
 */
record ExchangeTarget<Q>(String name) implements Target<Q> {}
