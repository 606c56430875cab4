/**
 * Micro-benchmarks: what the parts of the broker cost by themselves, in time and in memory. Each
 * class measures one part; docs/performance.md tells how to run them and how to read what they say.
 */
package io.mayflymq.bench;
