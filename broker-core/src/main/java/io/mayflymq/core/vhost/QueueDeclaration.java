package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.argument.QueueArguments;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;

/**
 * What {@code queue.declare} asks for.
 *
 * @param name the queue's name; not empty
 * @param durable whether it is to outlive a restart
 * @param exclusive whether it is to belong to the connection
 * @param autoDelete whether it is to go with its last consumer
 * @param arguments its arguments
 * @param connection who asks
 * @param home the shard of that connection's loop, where an exclusive queue is best placed
 * @param serverNamed whether the broker made the name up, which may begin with the reserved {@code
 *     amq.}
 * @param renewsLease whether finding the queue is use of it
 */
public record QueueDeclaration(
    String name,
    boolean durable,
    boolean exclusive,
    boolean autoDelete,
    FieldTable arguments,
    Object connection,
    Shard home,
    boolean serverNamed,
    boolean renewsLease) {
  /**
   * The same with this type, unless it names one or there are no such queues of this type.
   *
   * <p>Source: RabbitMQ, "Virtual Hosts", section "Default Queue Type".
   */
  QueueDeclaration withDefaultType(QueueType type) {
    if (type == QueueType.CLASSIC
        || arguments.containsKey(QueueType.ARGUMENT)
        || !type.allows(durable, exclusive, autoDelete)) {
      return this;
    }
    return new QueueDeclaration(
        name,
        durable,
        exclusive,
        autoDelete,
        arguments.with(QueueType.ARGUMENT, FieldValue.of(type.wireName())),
        connection,
        home,
        serverNamed,
        renewsLease);
  }

  /**
   * What is made if there is no such queue.
   *
   * @param vhost the virtual host, for the error's text
   * @throws ChannelException 406 if an argument is not valid, or the queue's type does not know
   *     such queues
   */
  QueueDefinition definition(String vhost) {
    QueueArguments.Valid valid = QueueArguments.parse(arguments, name, vhost);
    QueueSettings settings = valid.settings();
    if (serverNamed) {
      QueueArguments.checkServerNamed(settings.type());
    }
    QueueArguments.checkProperties(settings.type(), durable, exclusive, autoDelete, name, vhost);
    return new QueueDefinition(
        name, durable && !exclusive, exclusive, autoDelete, valid.table(), settings);
  }
}
