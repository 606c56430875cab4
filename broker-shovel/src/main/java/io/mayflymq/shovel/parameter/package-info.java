/** Reads the values of parameters. */
package io.mayflymq.shovel.parameter;
