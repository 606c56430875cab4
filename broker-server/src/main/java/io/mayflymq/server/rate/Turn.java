package io.mayflymq.server.rate;

import io.mayflymq.core.runtime.Shard;
import java.util.function.Consumer;

/** The turns of one consumer. What may change is guarded by the {@link DeliveryTurns}. */
final class Turn {
  final NamedRates ofUser;
  final NamedRates ofVhost;
  final Shard shard;

  /** Null for what does not wait. */
  final Consumer<Runnable> resumeThen;

  // The rates that it asked last, each null for none.
  DeliveryRate user;
  DeliveryRate vhost;

  /** The line in which it waits; null if it does not. */
  WaitingLine line;

  /** Those who began to wait earlier have a lower one. */
  long number;

  /** How many messages are kept for it, as it was called. */
  long owed;

  /** How often it was called. */
  long calls;

  /** The time that what was taken last is counted at, in ms since the epoch. */
  long takenAt;

  /**
   * Creates the turns of a consumer that does not wait.
   *
   * @param ofUser the rates of its user
   * @param ofVhost the rates of its virtual host
   * @param shard whose thread asks: that of its queue
   * @param resumeThen has its queue deliver to it, if there is something, and runs an action on the
   *     shard after that; it does neither before it has returned
   */
  Turn(NamedRates ofUser, NamedRates ofVhost, Shard shard, Consumer<Runnable> resumeThen) {
    this.ofUser = ofUser;
    this.ofVhost = ofVhost;
    this.shard = shard;
    this.resumeThen = resumeThen;
  }
}
