/** Exchanges that send each message to one of their bindings: by a hash, or at random. */
package io.mayflymq.core.routing.choice;
