/**
 * The result of routing: the destinations of the bindings that match, and the {@link
 * io.mayflymq.core.routing.route.Route} to the queues behind them.
 */
package io.mayflymq.core.routing.route;
