package io.mayflymq.core.routing;

/** The resolved destination of a binding. */
sealed interface Target<Q> permits QueueNode, ExchangeTarget, LeasedTarget {}
