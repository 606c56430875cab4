/**
 * Micro-benchmarks: what the parts of the broker cost by themselves, in time and in memory. Each
 * class measures one part; docs/performance.md describes how to run them and how to read their results.
 */
package io.mayflymq.bench;
