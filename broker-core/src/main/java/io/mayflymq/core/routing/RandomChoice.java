package io.mayflymq.core.routing;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Any of the bindings, each as likely as the others: {@code x-random}, {@code x-local-random}. */
enum RandomChoice implements Choice {
  INSTANCE;

  @Override
  public Chooser among(List<Lot> lots) {
    int count = lots.size();
    return (routingKey, properties) -> ThreadLocalRandom.current().nextInt(count);
  }

  @Override
  public boolean variesByMessage() {
    return true;
  }
}
