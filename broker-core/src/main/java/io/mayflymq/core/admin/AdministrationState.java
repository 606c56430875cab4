package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.ParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.ParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeleted;
import io.mayflymq.core.metadata.MetadataCommand.UserIs;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostIs;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.security.SecurityState;
import io.vavr.collection.HashMap;
import java.util.Objects;

/**
 * All administrative definitions at one moment. Immutable.
 *
 * @param security users and permissions
 * @param vhosts the virtual hosts, by name
 * @param globalParameters their values, which are JSON, by name
 * @param parameters of components
 * @param policies those for many virtual hosts
 * @param bytes how much memory all of them take, about
 */
record AdministrationState(
    SecurityState security,
    HashMap<String, VhostDefinition> vhosts,
    HashMap<String, String> globalParameters,
    HashMap<Parameter.Key, Parameter> parameters,
    HashMap<PolicyName, Policy> policies,
    long bytes) {
  /** A policy for many virtual hosts. */
  record PolicyName(PolicyKind kind, String name) {}

  static AdministrationState of(SecurityState security) {
    AdministrationState empty =
        new AdministrationState(
            security, HashMap.empty(), HashMap.empty(), HashMap.empty(), HashMap.empty(), 0);
    return empty.with(AdministrationSize.of(empty));
  }

  /** Returns whether a command can be carried out in this state. */
  boolean fits(MetadataCommand command) {
    if (command instanceof UserIs expected) {
      return Objects.equals(security.user(expected.user()), expected.before());
    } else if (command instanceof VhostIs expected) {
      return Objects.equals(vhost(expected.vhost()), expected.before());
    } else if (command instanceof PermissionsSet set) {
      return security.user(set.user()) != null && vhost(set.vhost()) != null;
    } else if (command instanceof TopicPermissionsSet set) {
      return security.user(set.user()) != null && vhost(set.vhost()) != null;
    } else if (command instanceof ParameterSet set) {
      return vhost(set.vhost()) != null;
    } else if (command instanceof ParameterCleared cleared) {
      return parameters.containsKey(
          new Parameter.Key(cleared.vhost(), cleared.component(), cleared.name()));
    } else if (command instanceof GlobalParameterCleared cleared) {
      return parameter(cleared.name()) != null;
    } else if (command instanceof VhostPolicyCleared cleared) {
      return policy(cleared.kind(), cleared.name()) != null;
    } else if (command instanceof UserDeleted deleted) {
      return security.user(deleted.user()) != null;
    } else if (command instanceof VhostDeleted deleted) {
      return vhost(deleted.vhost()) != null;
    }
    return true;
  }

  /**
   * Returns the state after a change; the same one if the change is of something inside a virtual
   * host.
   */
  @SuppressWarnings("ReferenceEquality") // to compare all that there is would take long
  AdministrationState after(MetadataCommand command) {
    AdministrationState after = changedBy(command);
    return after == this
        ? this
        : after.with(bytes + AdministrationSize.growth(command, this, after));
  }

  private AdministrationState changedBy(MetadataCommand command) {
    if (command instanceof VhostDeclared declared) {
      return with(declared.definition());
    } else if (command instanceof VhostDeleted deleted) {
      return withoutVhost(deleted.vhost());
    } else if (command instanceof ParameterSet set) {
      return with(new Parameter(set.vhost(), set.component(), set.name(), set.json()));
    } else if (command instanceof ParameterCleared cleared) {
      return without(new Parameter.Key(cleared.vhost(), cleared.component(), cleared.name()));
    } else if (command instanceof GlobalParameterSet set) {
      return withParameter(set.name(), set.json());
    } else if (command instanceof GlobalParameterCleared cleared) {
      return withoutParameter(cleared.name());
    } else if (command instanceof VhostPolicySet set) {
      Policy policy = set.policy();
      return with(policies.put(new PolicyName(policy.kind(), policy.name()), policy));
    } else if (command instanceof VhostPolicyCleared cleared) {
      return with(policies.remove(new PolicyName(cleared.kind(), cleared.name())));
    }
    return command instanceof Administrative administrative
        ? with(after(administrative, security))
        : this;
  }

  private static SecurityState after(Administrative command, SecurityState security) {
    if (command instanceof UserDeclared declared) {
      return security.withUser(declared.user());
    } else if (command instanceof UserDeleted deleted) {
      return security.withoutUser(deleted.user());
    } else if (command instanceof PermissionsSet set) {
      return security.withPermissions(set.user(), set.vhost(), set.permissions());
    } else if (command instanceof PermissionsCleared cleared) {
      return security.withoutPermissions(cleared.user(), cleared.vhost());
    } else if (command instanceof TopicPermissionsSet set) {
      return security.withTopicPermissions(
          set.user(), set.vhost(), set.exchange(), set.permissions());
    }
    TopicPermissionsCleared cleared = (TopicPermissionsCleared) command;
    return security.withoutTopicPermissions(cleared.user(), cleared.vhost(), cleared.exchange());
  }

  private AdministrationState with(SecurityState changed) {
    return new AdministrationState(changed, vhosts, globalParameters, parameters, policies, bytes);
  }

  private AdministrationState with(long counted) {
    return new AdministrationState(
        security, vhosts, globalParameters, parameters, policies, counted);
  }

  private AdministrationState with(VhostDefinition vhost) {
    return new AdministrationState(
        security, vhosts.put(vhost.name(), vhost), globalParameters, parameters, policies, bytes);
  }

  /** Returns the state without a virtual host and all permissions and parameters of it. */
  private AdministrationState withoutVhost(String name) {
    return new AdministrationState(
        security.withoutVhost(name),
        vhosts.remove(name),
        globalParameters,
        parameters.filterKeys(key -> !key.vhost().equals(name)),
        policies,
        bytes);
  }

  private AdministrationState withParameter(String name, String json) {
    return new AdministrationState(
        security, vhosts, globalParameters.put(name, json), parameters, policies, bytes);
  }

  private AdministrationState withoutParameter(String name) {
    return new AdministrationState(
        security, vhosts, globalParameters.remove(name), parameters, policies, bytes);
  }

  private AdministrationState with(Parameter parameter) {
    return new AdministrationState(
        security,
        vhosts,
        globalParameters,
        parameters.put(parameter.key(), parameter),
        policies,
        bytes);
  }

  private AdministrationState without(Parameter.Key parameter) {
    return new AdministrationState(
        security, vhosts, globalParameters, parameters.remove(parameter), policies, bytes);
  }

  private AdministrationState with(HashMap<PolicyName, Policy> changed) {
    return new AdministrationState(security, vhosts, globalParameters, parameters, changed, bytes);
  }

  /** Returns the policy of this kind and name for many virtual hosts, or null. */
  Policy policy(PolicyKind kind, String name) {
    return policies.getOrElse(new PolicyName(kind, name), null);
  }

  /** Returns the virtual host of this name, or null. */
  VhostDefinition vhost(String name) {
    return vhosts.getOrElse(name, null);
  }

  /** Returns the value of a global parameter, or null. */
  String parameter(String name) {
    return globalParameters.getOrElse(name, null);
  }
}
