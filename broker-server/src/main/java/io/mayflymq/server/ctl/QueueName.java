package io.mayflymq.server.ctl;

import java.util.Map;

/** The name of a queue, and its virtual host. */
record QueueName(String vhost, String name) {
  /** Returns that of an object which has it in a field. */
  static QueueName of(Map<String, Object> object, String field) {
    return new QueueName((String) object.get("vhost"), (String) object.get(field));
  }

  static QueueName of(AdoptedBroker.Queue queue) {
    return new QueueName(queue.vhost(), queue.name());
  }

  @Override
  public String toString() {
    return "'%s' in virtual host '%s'".formatted(name, vhost);
  }
}
