/**
 * Arguments of declarations and properties of messages: how they are read, checked and compared.
 */
package io.mayflymq.core.policy.argument;
