package io.mayflymq.core.metadata;

/**
 * Receives the events of the broker. Any thread may call, also under a lock: a call never blocks,
 * and an event without a listener costs one check.
 */
@FunctionalInterface
public interface BrokerEvents {
  /** Ignores all events. */
  BrokerEvents NONE = event -> {};

  /** Publishes an event. */
  void happened(BrokerEvent event);
}
