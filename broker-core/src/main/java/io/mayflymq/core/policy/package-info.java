/**
 * What a queue is told to do: its arguments, the policies that apply to it, and the settings that
 * follow from both. Pure, without threads.
 */
package io.mayflymq.core.policy;
