/**
 * Texts that are made once for all who ask for them, kept compressed, and read by each at his
 * speed.
 */
package io.mayflymq.server.metrics.rendering;
