/** Exchanges, bindings and routing, and the exchanges to which the broker publishes. */
package io.mayflymq.it.routing;
