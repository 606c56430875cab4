package io.mayflymq.core.admin;

/**
 * A value that was stored for a component which this broker does not have, such as RabbitMQ's
 * shovels. It has no effect.
 *
 * @param json the value, in JSON
 */
public record Parameter(String vhost, String component, String name, String json) {

  /** What distinguishes a parameter from all others. */
  record Key(String vhost, String component, String name) {}

  Key key() {
    return new Key(vhost, component, name);
  }
}
