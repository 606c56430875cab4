/** What a queue is told to do: its arguments, and the settings that follow from them. */
package io.mayflymq.core.policy;
