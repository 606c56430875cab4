/**
 * Where a message goes: the immutable {@link io.mayflymq.core.routing.RoutingTable} of exchanges,
 * queues and bindings that publishers read without waiting for declarations. Each type of exchange
 * keeps its bindings in a {@link io.mayflymq.core.routing.BindingIndex} of its own, which finds the
 * matching ones; the result is a {@link io.mayflymq.core.routing.Route}.
 *
 * <p>A change returns a new table that shares almost everything with the old one (persistent hash
 * tries of Vavr), so its cost does not grow with the number of queues and bindings. What is worth
 * computing once per destination list is computed by the first message that needs it and kept in
 * the bucket of bindings it belongs to, which is how binding 100,000 queues to one fanout exchange
 * stays linear.
 */
package io.mayflymq.core.routing;
