/** What can happen to the messages of a queue, told from its settings. */
package io.mayflymq.core.proof;
