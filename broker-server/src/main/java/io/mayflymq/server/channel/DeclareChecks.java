package io.mayflymq.server.channel;

import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * Checks before a queue, an exchange or a binding is declared, by AMQP or by HTTP. All methods
 * throw a {@link ChannelException} with RabbitMQ's text if the user lacks the permission, or if the
 * declaration is invalid.
 */
public final class DeclareChecks {
  private static final String DEADLINE_NOTIFY = PolicyKey.DEADLINE_NOTIFY.argument();
  private static final FieldValue TO_REPLY_QUEUE = FieldValue.of(ExpirySettings.TO_REPLY_QUEUE);

  private DeclareChecks() {}

  /**
   * Checks the declaration of a queue, and of the dead letter queue that comes with it. If it
   * exists already, it keeps the dead letter queue, the dead letter exchange and the exchange for
   * notices of deadlines that it has, so the user needs nothing for these. For other ones he does,
   * as the queue may be about to be deleted, or may take them over.
   */
  public static void queue(
      VhostAccess access, VirtualHost vhost, String name, FieldTable arguments) {
    access.check(ResourceKind.QUEUE, name, Permission.CONFIGURE);
    Queue existing = vhost.routing().queue(name);
    FieldTable present = existing == null ? FieldTable.EMPTY : existing.definition().arguments();
    FieldValue own = arguments.get(AutoDeadLetterQueue.ARGUMENT);
    if (AutoDeadLetterQueue.AUTO.equals(own)
        && !own.equals(present.get(AutoDeadLetterQueue.ARGUMENT))) {
      access.check(ResourceKind.QUEUE, AutoDeadLetterQueue.nameOf(name), Permission.CONFIGURE);
    }
    target(access, name, QueueArguments.DEAD_LETTER_EXCHANGE, arguments, present);
    if (!TO_REPLY_QUEUE.equals(arguments.get(DEADLINE_NOTIFY))) {
      target(access, name, DEADLINE_NOTIFY, arguments, present);
    }
  }

  /** Checks an argument of a queue with an exchange that the queue publishes to. */
  private static void target(
      VhostAccess access, String queue, String argument, FieldTable arguments, FieldTable present) {
    if (arguments.get(argument) instanceof FieldValue.LongString exchange
        && !exchange.equals(present.get(argument))) {
      access.check(ResourceKind.QUEUE, queue, Permission.READ);
      access.check(ResourceKind.EXCHANGE, exchange.string(), Permission.WRITE);
    }
  }

  /**
   * Checks the declaration of an exchange. If it exists already, it keeps the alternate exchange
   * that it has, as a queue its dead letter exchange.
   */
  public static void exchange(
      VhostAccess access, VirtualHost vhost, String name, FieldTable arguments) {
    notDefault(name);
    access.check(ResourceKind.EXCHANGE, name, Permission.CONFIGURE);
    FieldValue alternate = arguments.get(ExchangeDefinition.ALTERNATE_EXCHANGE);
    ExchangeDefinition existing = vhost.routing().exchange(name);
    if (alternate == null
        || (existing != null
            && alternate.equals(existing.arguments().get(ExchangeDefinition.ALTERNATE_EXCHANGE)))) {
      return;
    }
    if (!(alternate instanceof FieldValue.LongString text)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "invalid type '%s' for arg '%s' in exchange '%s' in vhost '%s'"
              .formatted(
                  alternate.rabbitTypeName(),
                  ExchangeDefinition.ALTERNATE_EXCHANGE,
                  name,
                  vhost.name()));
    }
    access.check(ResourceKind.EXCHANGE, name, Permission.READ);
    access.check(ResourceKind.EXCHANGE, text.string(), Permission.WRITE);
  }

  /**
   * Checks a binding that is to be added. One from the exchange of events is for those only who may
   * see all virtual hosts, as the events are of all of them.
   */
  public static void newBinding(VhostAccess access, VirtualHost vhost, Binding binding) {
    binding(access, vhost, binding);
    if (binding.source().equals(ExchangeDefinition.EVENT) && !access.isMonitor()) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          ("read access to exchange '%s' in vhost '%s' refused for user '%s': it needs the tag"
                  + " monitoring or administrator")
              .formatted(binding.source(), vhost.name(), access.user()));
    }
  }

  /** Checks a binding that is to be removed. */
  public static void binding(VhostAccess access, VirtualHost vhost, Binding binding) {
    notDefault(binding.source());
    boolean toQueue = binding.destinationKind() == DestinationKind.QUEUE;
    if (!toQueue) {
      notDefault(binding.destination());
    }
    access.check(
        toQueue ? ResourceKind.QUEUE : ResourceKind.EXCHANGE,
        binding.destination(),
        Permission.WRITE);
    access.check(ResourceKind.EXCHANGE, binding.source(), Permission.READ);
    ExchangeDefinition source = vhost.routing().exchange(binding.source());
    // One that is not there may be about to be declared.
    if (source == null || source.hasTopics()) {
      access.checkTopic(binding.source(), binding.routingKey(), Permission.READ);
    }
  }

  /** Checks that the exchange is not the default exchange. */
  static void notDefault(String exchange) {
    if (exchange.isEmpty()) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED, "operation not permitted on the default exchange");
    }
  }
}
