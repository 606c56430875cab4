/** {@code mayflyctl} and the control of a running broker. */
package io.mayflymq.it.control;
