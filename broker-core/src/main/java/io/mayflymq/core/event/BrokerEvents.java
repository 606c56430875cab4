package io.mayflymq.core.event;

/**
 * Where the broker says what happens in it. Any thread may call, also under a lock: nothing waits
 * here, and an event that nobody listens to costs a look.
 */
@FunctionalInterface
public interface BrokerEvents {
  /** Nobody listens. */
  BrokerEvents NONE = event -> {};

  /** It has happened. */
  void happened(BrokerEvent event);
}
