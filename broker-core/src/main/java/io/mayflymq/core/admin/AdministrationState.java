package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.security.SecurityState;
import io.vavr.collection.HashMap;

/**
 * All administrative definitions at one moment. Immutable.
 *
 * @param security users and permissions
 * @param vhosts the virtual hosts, by name
 * @param globalParameters their values, which are JSON, by name
 */
record AdministrationState(
    SecurityState security,
    HashMap<String, VhostDefinition> vhosts,
    HashMap<String, String> globalParameters) {

  static AdministrationState of(SecurityState security) {
    return new AdministrationState(security, HashMap.empty(), HashMap.empty());
  }

  AdministrationState with(SecurityState changed) {
    return new AdministrationState(changed, vhosts, globalParameters);
  }

  AdministrationState with(VhostDefinition vhost) {
    return new AdministrationState(security, vhosts.put(vhost.name(), vhost), globalParameters);
  }

  /** Returns the state without a virtual host and all permissions for it. */
  AdministrationState withoutVhost(String name) {
    return new AdministrationState(
        security.withoutVhost(name), vhosts.remove(name), globalParameters);
  }

  AdministrationState withParameter(String name, String json) {
    return new AdministrationState(security, vhosts, globalParameters.put(name, json));
  }

  AdministrationState withoutParameter(String name) {
    return new AdministrationState(security, vhosts, globalParameters.remove(name));
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
