package io.mayflymq.core.routing;

/** What a binding leads to, resolved. */
sealed interface Target<Q> permits QueueNode, ExchangeTarget, LeasedTarget {}
