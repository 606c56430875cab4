/** Shovels: what they move, what they lose when something fails, and what is shown of them. */
package io.mayflymq.it.shovel;
