/**
 * What a queue lives by, by whatever way it came about: plain values, which the core enforces and
 * which the policies and arguments of package {@code policy} make.
 */
package io.mayflymq.core.settings;
