/** What is kept across a restart or a kill of the broker. */
package io.mayflymq.it.durability;
