package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.protocol.types.FieldTable;

/**
 * A queue as it was declared.
 *
 * @param name its name
 * @param durable whether it survives a restart; never together with exclusive
 * @param exclusive whether it belongs to one connection and is deleted with it
 * @param autoDelete whether it is deleted with its last consumer
 * @param arguments the arguments of the declaration
 * @param settings the settings that follow from them
 * @param declaredBy the name of the user who declared it, see {@link Actor#user}; null if that is
 *     not known, as of queues that older releases have written
 */
public record QueueDefinition(
    String name,
    boolean durable,
    boolean exclusive,
    boolean autoDelete,
    FieldTable arguments,
    QueueSettings settings,
    String declaredBy) {
  /** A queue of which is not known who declared it. */
  public QueueDefinition(
      String name,
      boolean durable,
      boolean exclusive,
      boolean autoDelete,
      FieldTable arguments,
      QueueSettings settings) {
    this(name, durable, exclusive, autoDelete, arguments, settings, null);
  }

  /** Returns the same queue with another name. */
  public QueueDefinition named(String other) {
    return new QueueDefinition(
        other, durable, exclusive, autoDelete, arguments, settings, declaredBy);
  }
}
