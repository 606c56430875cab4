/**
 * Counters that cost a store each, what becomes of them when their owners go, and how anything that
 * lives on many shards is looked at without stopping any.
 */
package io.mayflymq.core.metrics;
