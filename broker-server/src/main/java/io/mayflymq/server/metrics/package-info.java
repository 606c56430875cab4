/**
 * Metrics for Prometheus, with RabbitMQ's names, types and labels, on a listener of their own:
 * families of values, how they are written, and texts that are made once for all who ask.
 *
 * <p>Source of the names: RabbitMQ's rabbitmq_prometheus plugin, versions 3.13 and 4.x.
 */
package io.mayflymq.server.metrics;
