package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.argument.Equivalence;
import io.mayflymq.core.routing.exchange.ExchangeDefinition;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;

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
   * @param extensionsCompared whether arguments count that only this broker knows
   * @throws ChannelException 405 if the queue is another connection's, 406 if they differ
   */
  static void check(
      String vhost, QueueDeclaration wanted, Queue current, boolean extensionsCompared) {
    if (current.owner() != null
        ? current.owner() != wanted.connection() || !wanted.exclusive()
        : wanted.exclusive()) {
      throw new Preconditions(vhost).locked(wanted.name());
    }
    Equivalence equivalence = new Equivalence("queue", wanted.name(), vhost);
    QueueDefinition definition = current.definition();
    equivalence.check("durable", wanted.durable() && !wanted.exclusive(), definition.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), definition.autoDelete());
    equivalence.checkQueueArguments(wanted.arguments(), definition.arguments());
    if (extensionsCompared) {
      equivalence.checkQueueExtensions(wanted.arguments(), definition.arguments());
    }
  }
}
