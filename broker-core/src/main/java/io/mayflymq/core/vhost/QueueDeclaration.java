package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.runtime.Shard;
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
   * @param dialect that of the virtual host
   * @param deprecated what may not be used, and where uses are counted
   * @throws ChannelException 406 if an argument is not valid or denied, or the queue's type does
   *     not know such queues
   * @throws io.mayflymq.protocol.types.ConnectionException 541 if a feature is denied that RabbitMQ
   *     refuses so
   */
  QueueDefinition definition(String vhost, Dialect dialect, DeprecatedFeatures deprecated) {
    QueueArguments.Valid valid = QueueArguments.parse(arguments, name, vhost, dialect);
    QueueSettings settings = valid.settings();
    if (serverNamed) {
      QueueArguments.checkServerNamed(settings.type());
    }
    QueueArguments.checkProperties(settings.type(), durable, exclusive, autoDelete, name, vhost);
    Actor actor = Actor.of(connection);
    boolean byClient = !actor.pid().isEmpty();
    QueueArguments.checkNew(arguments, name, vhost, dialect, deprecated, byClient);
    if (!durable && !exclusive) {
      deprecated.require(DeprecatedFeature.TRANSIENT_NONEXCL_QUEUES, byClient);
    }
    return new QueueDefinition(
        name, durable && !exclusive, exclusive, autoDelete, valid.table(), settings, actor.user());
  }
}
