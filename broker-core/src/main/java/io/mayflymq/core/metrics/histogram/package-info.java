/** Histograms that one thread writes and any thread reads. */
package io.mayflymq.core.metrics.histogram;
