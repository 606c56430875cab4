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
 * @param parameters of components that this broker does not have
 */
record AdministrationState(
    SecurityState security,
    HashMap<String, VhostDefinition> vhosts,
    HashMap<String, String> globalParameters,
    HashMap<Parameter.Key, Parameter> parameters) {

  static AdministrationState of(SecurityState security) {
    return new AdministrationState(security, HashMap.empty(), HashMap.empty(), HashMap.empty());
  }

  AdministrationState with(SecurityState changed) {
    return new AdministrationState(changed, vhosts, globalParameters, parameters);
  }

  AdministrationState with(VhostDefinition vhost) {
    return new AdministrationState(
        security, vhosts.put(vhost.name(), vhost), globalParameters, parameters);
  }

  /** Returns the state without a virtual host and all permissions and parameters of it. */
  AdministrationState withoutVhost(String name) {
    return new AdministrationState(
        security.withoutVhost(name),
        vhosts.remove(name),
        globalParameters,
        parameters.filterKeys(key -> !key.vhost().equals(name)));
  }

  AdministrationState withParameter(String name, String json) {
    return new AdministrationState(security, vhosts, globalParameters.put(name, json), parameters);
  }

  AdministrationState withoutParameter(String name) {
    return new AdministrationState(security, vhosts, globalParameters.remove(name), parameters);
  }

  AdministrationState with(Parameter parameter) {
    return new AdministrationState(
        security, vhosts, globalParameters, parameters.put(parameter.key(), parameter));
  }

  AdministrationState without(Parameter.Key parameter) {
    return new AdministrationState(
        security, vhosts, globalParameters, parameters.remove(parameter));
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
