package io.mayflymq.server.management.resource;

import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import java.util.function.BooleanSupplier;

/** Access that waits for the answers of a service; only threads of the management API may. */
final class WaitingAccess extends VhostAccess {
  private final VhostAccess asked;

  WaitingAccess(VhostAccess asked) {
    super(asked.user(), asked.vhost());
    this.asked = asked;
  }

  private boolean await(BooleanSupplier check) {
    while (true) {
      try {
        return check.getAsBoolean();
      } catch (AnswerAwaitedException e) {
        Futures.await(e.answer());
      }
    }
  }

  @Override
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    boolean allowed = await(() -> asked.allows(kind, name, permission));
    asked.commandEnded();
    return allowed;
  }

  @Override
  public boolean allowsTopic(String exchange, String routingKey, Permission permission) {
    boolean allowed = await(() -> asked.allowsTopic(exchange, routingKey, permission));
    asked.commandEnded();
    return allowed;
  }

  @Override
  public boolean hasTag(String tag) {
    return asked.hasTag(tag);
  }

  @Override
  public String refusal(String text) {
    return asked.refusal(text);
  }
}
