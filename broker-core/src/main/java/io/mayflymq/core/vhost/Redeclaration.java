package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Equivalence;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;

/** Whether what a client declares is what is there already. */
final class Redeclaration {
  private Redeclaration() {}

  /**
   * Compares exchanges.
   *
   * @throws ChannelException 406 if they differ
   */
  static void check(String vhost, ExchangeDefinition wanted, ExchangeDefinition current) {
    Equivalence equivalence = new Equivalence("exchange", wanted.name(), vhost);
    equivalence.check("type", wanted.type(), current.type());
    equivalence.check("durable", wanted.durable(), current.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), current.autoDelete());
    equivalence.check("internal", wanted.internal(), current.internal());
    equivalence.checkExchangeArguments(wanted.arguments(), current.arguments());
  }

  /**
   * Compares queues.
   *
   * @param defaults those of the virtual host, with what else they must agree on
   * @throws ChannelException 405 if the queue is another connection's, 406 if they differ
   */
  static void check(String vhost, QueueDeclaration wanted, Queue current, Defaults defaults) {
    if (current.owner() != null
        ? current.owner() != wanted.connection() || !wanted.exclusive()
        : wanted.exclusive()) {
      throw new Preconditions(vhost).locked(wanted.name());
    }
    Equivalence equivalence = new Equivalence("queue", wanted.name(), vhost);
    QueueDefinition definition = current.definition();
    equivalence.check("durable", wanted.durable() && !wanted.exclusive(), definition.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), definition.autoDelete());
    FieldTable received = wanted.arguments();
    if (!defaults.compared().typeOfQuorumQueues()
        && definition.settings().type() == QueueType.QUORUM) {
      received = received.with(QueueType.ARGUMENT, FieldValue.of(QueueType.QUORUM.wireName()));
    }
    equivalence.checkQueueArguments(received, definition.arguments(), defaults.dialect());
    if (defaults.compared().extensions()) {
      equivalence.checkQueueExtensions(wanted.arguments(), definition.arguments());
    }
  }
}
