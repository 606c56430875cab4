/** The log: where its lines go, in which form, from which level on. */
package io.mayflymq.server.logging;
