package io.mayflymq.core.routing;

import io.mayflymq.core.queue.IdleLease;

/** The destination of a binding that is deleted when no message uses it for too long. */
record LeasedTarget<Q>(Target<Q> target, IdleLease lease) implements Target<Q> {}
