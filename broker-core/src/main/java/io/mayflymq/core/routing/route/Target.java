package io.mayflymq.core.routing.route;

/** The resolved destination of a binding. */
public sealed interface Target<Q> permits QueueNode, ExchangeTarget, LeasedTarget {}
