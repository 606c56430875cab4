/**
 * Exchanges as they are declared, and the types of exchange, each with the index that it keeps its
 * bindings in.
 */
package io.mayflymq.core.routing.exchange;
