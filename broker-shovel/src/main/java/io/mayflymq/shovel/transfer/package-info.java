/** Messages on their way from one connection to another. */
package io.mayflymq.shovel.transfer;
