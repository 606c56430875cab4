/**
 * The settings of a queue, whatever their origin: plain values, which package {@code policy}
 * derives from policies and arguments and which the rest of the core applies.
 */
package io.mayflymq.core.settings;
