/**
 * Topic exchanges: the keys of their bindings as a trie, and how a routing key is matched with it.
 */
package io.mayflymq.core.routing.topic;
