/**
 * The arguments of queues, the policies that apply to them, and the settings that follow from both.
 * Pure, without threads.
 */
package io.mayflymq.core.policy;
