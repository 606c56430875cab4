package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.deadletter.Redrive;

/** Messages may go anywhere at any time. */
public final class Unconditional implements Redrive.Conditions {
  @Override
  public boolean publishersWait() {
    return false;
  }

  @Override
  public boolean mayPublish(String exchange, String routingKey) {
    return true;
  }
}
