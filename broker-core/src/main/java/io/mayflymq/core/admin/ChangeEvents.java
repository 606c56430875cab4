package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.AdministrationEvent;
import io.mayflymq.core.metadata.AdministrationEvent.Bearer;
import io.mayflymq.core.metadata.AdministrationEvent.LimitsCleared;
import io.mayflymq.core.metadata.AdministrationEvent.LimitsSet;
import io.mayflymq.core.metadata.AdministrationEvent.UserChange;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;
import java.util.List;

/**
 * Publishes events about administrative changes: a change of several objects is an event for each
 * of them.
 */
record ChangeEvents(BrokerEvents events) {
  /**
   * Publishes the event of a change.
   *
   * @param before users and permissions before the change
   */
  void changed(SecurityState before, Administrative command) {
    if (command instanceof UserDeclared declared) {
      user(before.user(declared.user().name()), declared.user());
    } else if (command instanceof UserDeleted deleted) {
      user(UserChange.DELETED, deleted.user());
    } else if (command instanceof PermissionsSet set) {
      emit(new AdministrationEvent.PermissionCreated(set.user(), set.vhost(), set.permissions()));
    } else if (command instanceof PermissionsCleared cleared) {
      emit(new AdministrationEvent.PermissionDeleted(cleared.user(), cleared.vhost()));
    } else if (command instanceof TopicPermissionsSet set) {
      emit(
          new AdministrationEvent.TopicPermissionCreated(
              set.user(), set.vhost(), set.exchange(), set.permissions()));
    } else if (command instanceof TopicPermissionsCleared cleared) {
      emit(
          new AdministrationEvent.TopicPermissionDeleted(
              cleared.user(), cleared.vhost(), cleared.exchange()));
    } else if (command instanceof VhostPolicySet set) {
      emit(new AdministrationEvent.VhostPolicySet(set.policy()));
    } else if (command instanceof VhostPolicyCleared cleared) {
      emit(new AdministrationEvent.VhostPolicyCleared(cleared.kind(), cleared.name()));
    } else if (command instanceof GlobalParameterSet set) {
      emit(new AdministrationEvent.ParameterSet(set.name()));
    } else if (command instanceof GlobalParameterCleared cleared) {
      emit(new AdministrationEvent.ParameterCleared(cleared.name()));
    }
  }

  /** A virtual host was added. */
  void created(VhostDefinition vhost) {
    emit(new AdministrationEvent.VhostCreated(vhost.name(), vhost.description(), vhost.tags()));
    limits(Bearer.VHOST, vhost.name(), Limits.NONE, vhost.limits());
  }

  /** A virtual host was given policies. */
  void set(String vhost, List<Policy> policies) {
    policies.forEach(policy -> emit(new AdministrationEvent.PolicySet(vhost, policy)));
  }

  /** A virtual host was changed. */
  void redefined(VhostDefinition before, VhostDefinition now) {
    limits(Bearer.VHOST, now.name(), before.limits(), now.limits());
  }

  /** A virtual host was deleted. */
  void deleted(String vhost) {
    emit(new AdministrationEvent.VhostDeleted(vhost));
  }

  private void user(User before, User now) {
    if (before == null) {
      user(UserChange.CREATED, now.name());
    } else if (!before.passwordHash().equals(now.passwordHash())) {
      user(
          now.passwordHash().equals(PasswordHash.NONE)
              ? UserChange.PASSWORD_CLEARED
              : UserChange.PASSWORD_CHANGED,
          now.name());
    }
    if (!now.tags().equals(before == null ? List.of() : before.tags())) {
      emit(new AdministrationEvent.UserTagsSet(now.name(), now.tags()));
    }
    limits(Bearer.USER, now.name(), before == null ? Limits.NONE : before.limits(), now.limits());
  }

  private void user(UserChange change, String name) {
    emit(new AdministrationEvent.UserChanged(change, name));
  }

  private void limits(Bearer bearer, String owner, Limits before, Limits now) {
    List<Limit> gone =
        before.asMap().keySet().stream().filter(limit -> now.get(limit) == null).toList();
    if (!gone.isEmpty()) {
      emit(new LimitsCleared(bearer, owner, gone));
    }
    if (!now.asMap().entrySet().stream()
        .allMatch(entry -> entry.getValue().equals(before.get(entry.getKey())))) {
      emit(new LimitsSet(bearer, owner, now));
    }
  }

  private void emit(AdministrationEvent event) {
    events.happened(event);
  }
}
