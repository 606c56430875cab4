package io.mayflymq.core.routing;

import java.util.List;

/** The binding at the place that the hash of the routing key gives: {@code x-modulus-hash}. */
enum ModulusHash implements Choice {
  INSTANCE;

  @Override
  public Chooser among(List<Lot> lots) {
    int count = lots.size();
    return (routingKey, properties) -> (int) Math.floorMod(TextHash.of(routingKey), (long) count);
  }

  @Override
  public boolean variesByMessage() {
    return false;
  }
}
