/** Bindings as they are declared. */
package io.mayflymq.core.routing.binding;
