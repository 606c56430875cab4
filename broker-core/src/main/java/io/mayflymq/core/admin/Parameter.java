package io.mayflymq.core.admin;

/**
 * A setting of a component, such as shovels. If this broker does not have the component it has no
 * effect.
 *
 * @param json the value, in JSON
 */
public record Parameter(String vhost, String component, String name, String json) {

  /** What distinguishes a parameter from all others. */
  record Key(String vhost, String component, String name) {}

  Key key() {
    return new Key(vhost, component, name);
  }

  /** Returns the same with another value. */
  Parameter with(String value) {
    return new Parameter(vhost, component, name, value);
  }
}
