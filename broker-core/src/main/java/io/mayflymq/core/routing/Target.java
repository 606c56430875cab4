package io.mayflymq.core.routing;

/** The resolved destination of a binding. */
public sealed interface Target<Q> permits QueueNode, ExchangeTarget, LeasedTarget {}
