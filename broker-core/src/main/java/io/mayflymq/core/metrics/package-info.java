/**
 * Counters with the cost of one store, groups that keep the counts of removed members, and queries
 * over objects on many shards that do not stop any of them.
 */
package io.mayflymq.core.metrics;
