/** The metrics for Prometheus. */
package io.mayflymq.it.metrics;
