package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.ReplyConsumers;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.method.QueueMethod;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The methods of class queue (AMQP 0-9-1 section 1.5). */
final class QueueOperations {
  /** So many queues are declared together; more would hold up the other work of the broker. */
  private static final int MOST_TOGETHER = 256;

  private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

  private final ChannelContext channel;
  private final ConnectionContext connection;

  /** The queue that an empty name stands for. */
  private String lastDeclared = "";

  /** Queues that are being declared together, by their names. */
  private final Set<String> underWay = new HashSet<>(0);

  /** Done when the last of these is in force or has failed. */
  private CompletableFuture<Void> runOver;

  QueueOperations(ChannelContext channel, ConnectionContext connection) {
    this.channel = channel;
    this.connection = connection;
  }

  void handle(QueueMethod method) {
    if (method instanceof QueueMethod.Declare declare) {
      declare(declare);
    } else if (method instanceof QueueMethod.Bind bind) {
      Binding binding = binding(bind.queue(), bind.exchange(), bind.routingKey(), bind.arguments());
      DeclareChecks.newBinding(connection.access(), connection.vhost(), binding);
      channel.await(
          connection.vhost().bind(binding, connection.identity()),
          done -> channel.reply(bind.noWait(), QueueMethod.BindOk.INSTANCE));
    } else if (method instanceof QueueMethod.Unbind unbind) {
      Binding binding =
          binding(unbind.queue(), unbind.exchange(), unbind.routingKey(), unbind.arguments());
      DeclareChecks.binding(connection.access(), connection.vhost(), binding);
      channel.await(
          connection.vhost().unbind(binding, connection.identity()),
          done -> channel.reply(false, QueueMethod.UnbindOk.INSTANCE));
    } else if (method instanceof QueueMethod.Purge purge) {
      Queue queue = find(purge.queue(), Permission.READ);
      channel.await(
          queue.requests().purge(),
          count -> channel.reply(purge.noWait(), new QueueMethod.PurgeOk(count)));
    } else if (method instanceof QueueMethod.Delete delete) {
      delete(delete);
    } else {
      throw ChannelContext.notForServers();
    }
  }

  /**
   * Returns the queue of this name, or the last one declared if the name is empty.
   *
   * @param permission the permission that the user needs on it
   */
  Queue find(String name, Permission permission) {
    String resolved = resolve(name);
    connection.access().check(ResourceKind.QUEUE, resolved, permission);
    return connection.vhost().queue(resolved, connection.identity());
  }

  private String resolve(String name) {
    if (!name.isEmpty()) {
      return GeneratedNames.clean(name);
    }
    if (lastDeclared.isEmpty()) {
      throw new ChannelException(ReplyCode.NOT_FOUND, "no previously declared queue");
    }
    return lastDeclared;
  }

  private void declare(QueueMethod.Declare declare) {
    String name = GeneratedNames.clean(declare.queue());
    boolean serverNamed = name.isEmpty();
    if (ReplyConsumers.isReserved(name)) {
      channel.await(connection.vhost().replies().status(name), status -> declared(declare, status));
      return;
    }
    if (declare.passive()) {
      String resolved = resolve(name);
      connection.access().checkAny(ResourceKind.QUEUE, resolved);
      channel.await(
          connection.vhost().declareOk(resolved, connection.identity(), !declare.noWait()),
          status -> declared(declare, status));
      return;
    }
    if (!serverNamed && declare.noWait() && !declare.exclusive()) {
      declareInRun(declare, name);
      return;
    }
    String chosen = serverNamed ? GeneratedNames.generatedQueue() : name;
    // What needs an answer that is on its way is repeated from here on: with the same name.
    channel.await(
        NOTHING,
        go ->
            channel.await(
                declareNow(declare, chosen, serverNamed), status -> declared(declare, status)));
  }

  /**
   * Declares a queue together with those before it that are under way; or else after them, if it
   * may depend on them or cannot be declared now.
   */
  private void declareInRun(QueueMethod.Declare declare, String name) {
    boolean first = underWay.isEmpty();
    if (first
        || (underWay.size() < MOST_TOGETHER
            && !underWay.contains(name)
            && connection.vhost().hasRoomForAnyNewQueue(name))) {
      try {
        runs(declare, name, declareNow(declare, name, false));
        return;
      } catch (AmqpException e) {
        if (first) {
          throw e;
        }
      }
    }
    channel.await(runOver, over -> declareInRun(declare, name));
  }

  private void runs(
      QueueMethod.Declare declare, String name, CompletableFuture<DeclaredQueue> declaration) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    underWay.add(name);
    runOver = over;
    connection.awaitInRun(
        channel.number(),
        declaration,
        () -> {
          underWay.remove(name);
          over.complete(null);
        },
        status -> declared(declare, status));
  }

  private CompletableFuture<DeclaredQueue> declareNow(
      QueueMethod.Declare declare, String name, boolean serverNamed) {
    DeclareChecks.queue(connection.access(), connection.vhost(), name, declare.arguments());
    QueueDeclaration declaration =
        new QueueDeclaration(
            name,
            declare.durable(),
            declare.exclusive(),
            declare.autoDelete(),
            declare.arguments(),
            connection.identity(),
            connection.home(),
            serverNamed,
            !declare.noWait());
    if (declare.exclusive()) {
      connection.ownsQueue(name);
    }
    return connection.vhost().declareQueue(declaration);
  }

  private void declared(QueueMethod.Declare declare, DeclaredQueue status) {
    lastDeclared = status.queue();
    channel.reply(
        declare.noWait(),
        new QueueMethod.DeclareOk(status.queue(), status.messages(), status.consumers()));
  }

  private void delete(QueueMethod.Delete delete) {
    String name = resolve(delete.queue());
    connection.access().check(ResourceKind.QUEUE, name, Permission.CONFIGURE);
    channel.await(
        connection
            .vhost()
            .deleteQueue(name, connection.identity(), delete.ifUnused(), delete.ifEmpty()),
        count -> channel.reply(delete.noWait(), new QueueMethod.DeleteOk(count)));
  }

  private Binding binding(String queue, String exchange, String key, FieldTable arguments) {
    String to = resolve(queue);
    String from = GeneratedNames.clean(exchange);
    String routingKey = queue.isEmpty() && key.isEmpty() ? to : key;
    return new Binding(from, DestinationKind.QUEUE, to, routingKey, arguments);
  }
}
