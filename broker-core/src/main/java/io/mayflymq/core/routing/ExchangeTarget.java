package io.mayflymq.core.routing;

/**
 * An exchange as the destination of a binding: its name only, since its node is replaced each time
 * a binding is added to it, and tables must not refer to the nodes of other tables.
 */
record ExchangeTarget<Q>(String name) implements Target<Q> {}
