/** A broker whose clock is moved by hand. */
package io.mayflymq.it.clock;
