/**
 * The arguments of declarations, the policies that apply to queues, and the settings that follow
 * from both: how they are read, checked, compared and merged. Pure, without threads.
 */
package io.mayflymq.core.policy;
