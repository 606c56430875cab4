package io.mayflymq.core.routing;

import io.mayflymq.core.retention.IdleLease;

/** What a binding leads to that goes when no message takes it for too long. */
record LeasedTarget<Q>(Target<Q> target, IdleLease lease) implements Target<Q> {}
