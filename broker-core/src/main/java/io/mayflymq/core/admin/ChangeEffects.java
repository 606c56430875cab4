package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import java.util.List;

/**
 * What follows when administrative changes are in force: virtual hosts begin and end, connections
 * are closed, events tell of it, as do the sessions of limits.
 *
 * @param broker has the virtual hosts
 * @param sessions the open connections
 * @param components are told of their parameters
 */
record ChangeEffects(Broker broker, Sessions sessions, ParameterComponents components) {
  /**
   * A change is in force.
   *
   * @param before the state before it
   * @param after the state with it
   * @param commands what was changed, as a unit
   * @param events is told of it
   */
  void inForce(
      AdministrationState before,
      AdministrationState after,
      List<? extends MetadataCommand> commands,
      ChangeEvents events) {
    for (MetadataCommand command : commands) {
      if (command instanceof VhostDeclared declared) {
        declared(before.vhost(declared.vhost()), declared.definition(), commands, events);
        sessions.vhostChanged(declared.vhost());
      } else if (command instanceof VhostDeleted deleted) {
        broker.forget(broker.virtualHost(deleted.vhost()));
        sessions.closeAllTo(deleted.vhost());
        sessions.vhostChanged(deleted.vhost());
        events.deleted(deleted.vhost());
      } else if (command instanceof VhostPolicySet || command instanceof VhostPolicyCleared) {
        broker.setPoliciesForVhosts(after.policies().values().toJavaList());
        events.changed(before.security(), (Administrative) command);
      } else if (command instanceof Administrative administrative) {
        events.changed(before.security(), administrative);
        if (command instanceof UserDeleted deleted) {
          sessions.closeAllOf(deleted.user());
          sessions.userChanged(deleted.user());
        } else if (command instanceof UserDeclared declared) {
          sessions.userChanged(declared.user().name());
        }
      }
      components.inForce(command);
    }
  }

  private void declared(
      VhostDefinition before,
      VhostDefinition now,
      List<? extends MetadataCommand> commands,
      ChangeEvents events) {
    if (before != null) {
      broker.virtualHost(now.name()).redefine(now);
      events.redefined(before, now);
      return;
    }
    List<Policy> policies =
        commands.stream()
            .filter(PolicySet.class::isInstance)
            .map(command -> ((PolicySet) command).policy())
            .toList();
    broker.createVirtualHost(now, policies);
    events.created(now);
    events.set(now.name(), policies);
  }
}
