package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.protocol.method.ExchangeMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * The methods of class exchange (AMQP 0-9-1 section 1.4, with RabbitMQ's exchange-to-exchange
 * bindings).
 */
final class ExchangeOperations {
  private final ChannelContext channel;
  private final ConnectionContext connection;

  ExchangeOperations(ChannelContext channel, ConnectionContext connection) {
    this.channel = channel;
    this.connection = connection;
  }

  void handle(ExchangeMethod method) {
    if (method instanceof ExchangeMethod.Declare declare) {
      declare(declare);
    } else if (method instanceof ExchangeMethod.Delete delete) {
      delete(delete);
    } else if (method instanceof ExchangeMethod.Bind bind) {
      Binding binding =
          binding(bind.source(), bind.destination(), bind.routingKey(), bind.arguments());
      DeclareChecks.newBinding(connection.access(), connection.vhost(), binding);
      channel.await(
          connection.vhost().bind(binding, connection.identity()),
          done -> channel.reply(bind.noWait(), ExchangeMethod.BindOk.INSTANCE));
    } else if (method instanceof ExchangeMethod.Unbind unbind) {
      Binding binding =
          binding(unbind.source(), unbind.destination(), unbind.routingKey(), unbind.arguments());
      DeclareChecks.binding(connection.access(), connection.vhost(), binding);
      channel.await(
          connection.vhost().unbind(binding, connection.identity()),
          done -> channel.reply(unbind.noWait(), ExchangeMethod.UnbindOk.INSTANCE));
    } else {
      throw ChannelContext.notForServers();
    }
  }

  private void declare(ExchangeMethod.Declare declare) {
    String name = GeneratedNames.clean(declare.exchange());
    DeclareChecks.notDefault(name);
    if (declare.passive()) {
      connection.access().checkAny(ResourceKind.EXCHANGE, name);
      channel.await(
          connection.vhost().exchangeStatus(name),
          done -> channel.reply(declare.noWait(), ExchangeMethod.DeclareOk.INSTANCE));
      return;
    }
    connection.access().check(ResourceKind.EXCHANGE, name, Permission.CONFIGURE);
    ExchangeType type = ExchangeType.ofWireName(declare.type());
    if (type == null) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "unknown exchange type '%s'".formatted(declare.type()));
    }
    FieldTable arguments = declare.arguments();
    DeclareChecks.exchange(connection.access(), connection.vhost(), name, arguments);
    ExchangeDefinition wanted =
        new ExchangeDefinition(
            name, type, declare.durable(), declare.autoDelete(), declare.internal(), arguments);
    channel.await(
        connection.vhost().declareExchange(wanted, connection.identity()),
        done -> channel.reply(declare.noWait(), ExchangeMethod.DeclareOk.INSTANCE));
  }

  private void delete(ExchangeMethod.Delete delete) {
    String name = GeneratedNames.clean(delete.exchange());
    DeclareChecks.notDefault(name);
    connection.access().check(ResourceKind.EXCHANGE, name, Permission.CONFIGURE);
    channel.await(
        connection.vhost().deleteExchange(name, delete.ifUnused(), connection.identity()),
        done -> channel.reply(delete.noWait(), ExchangeMethod.DeleteOk.INSTANCE));
  }

  private static Binding binding(
      String source, String destination, String key, FieldTable arguments) {
    String from = GeneratedNames.clean(source);
    String to = GeneratedNames.clean(destination);
    return new Binding(from, DestinationKind.EXCHANGE, to, key, arguments);
  }
}
