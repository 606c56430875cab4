/**
 * The bindings of one exchange, arranged so that its type finds the matching ones fast: {@link
 * io.mayflymq.core.routing.index.BindingIndex}, and the indexes of direct, fanout and recent
 * history exchanges. Those of the other types have packages of their own.
 */
package io.mayflymq.core.routing.index;
