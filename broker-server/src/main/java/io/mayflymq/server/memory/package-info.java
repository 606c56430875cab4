/**
 * The memory of this Java virtual machine: what is in use, blocks outside of the heap, what goes
 * back at rest.
 */
package io.mayflymq.server.memory;
