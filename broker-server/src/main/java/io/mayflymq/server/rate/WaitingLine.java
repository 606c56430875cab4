package io.mayflymq.server.rate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Consumers that wait for the same rates, in the order in which they came. Guarded by the {@link
 * DeliveryTurns}.
 */
final class WaitingLine {
  private final DeliveryRate user;
  private final DeliveryRate vhost;
  private final Set<Turn> turns = new LinkedHashSet<>();

  /**
   * Creates an empty line.
   *
   * @param user the rate of their user, or null
   * @param vhost that of their virtual host, or null
   */
  WaitingLine(DeliveryRate user, DeliveryRate vhost) {
    this.user = user;
    this.vhost = vhost;
  }

  DeliveryRate user() {
    return user;
  }

  DeliveryRate vhost() {
    return vhost;
  }

  /** Returns the rate beside this one; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // each is one object
  DeliveryRate other(DeliveryRate rate) {
    return rate == user ? vhost : user;
  }

  /** Adds one that waits, behind the others. */
  void add(Turn turn) {
    turns.add(turn);
  }

  void remove(Turn turn) {
    turns.remove(turn);
  }

  boolean isEmpty() {
    return turns.isEmpty();
  }

  /** Returns the one that has waited longest. */
  Turn first() {
    return turns.iterator().next();
  }

  /** Returns the number of the first. */
  long number() {
    return first().number;
  }

  List<Turn> all() {
    return new ArrayList<>(turns);
  }
}
