package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.ExpiresArgument;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Set;

/**
 * What a new queue, exchange, binding or policy must keep to, whatever else there is in its virtual
 * host. Any thread may call.
 *
 * @param vhost the name of the virtual host
 * @param defaultType the type of a queue that is declared without one
 * @param defaults what counts where neither an argument nor a policy says anything
 * @param deprecated what may not be used, and where uses are counted
 */
public record DeclarationRules(
    String vhost, QueueType defaultType, Defaults defaults, DeprecatedFeatures deprecated) {

  /** Returns the rules of a virtual host in a broker with the default configuration. */
  public static DeclarationRules byDefault(VhostDefinition vhost) {
    return new DeclarationRules(
        vhost.name(),
        QueueType.ofWireName(vhost.defaultQueueType()).orElse(QueueType.CLASSIC),
        vhost.dialect().map(Defaults.NONE::in).orElse(Defaults.NONE),
        new DeprecatedFeatures(Set::of));
  }

  /**
   * Returns the queue that a declaration makes.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 403 for a reserved name, 406 if an argument
   *     is not valid or denied, or the queue's type does not know such queues
   * @throws ConnectionException 541 if there are no queues of this type, or a feature is denied
   *     that RabbitMQ refuses so
   */
  public QueueDefinition queue(QueueDeclaration asked) {
    return definition(named(asked));
  }

  /**
   * Returns the same declaration with the type that the queue will have.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 403 for a reserved name
   */
  QueueDeclaration named(QueueDeclaration asked) {
    if (!asked.serverNamed()) {
      Preconditions.requireUnreserved("queue", asked.name());
    }
    return asked.withDefaultType(defaultType);
  }

  /** Returns the queue that a declaration with its type makes; see {@link #queue}. */
  QueueDefinition definition(QueueDeclaration wanted) {
    QueueDefinition definition = wanted.definition(vhost, defaults.dialect(), deprecated);
    requireEnabled(definition);
    AutoDeadLetterQueue.refuse(definition.arguments(), definition.name(), vhost);
    return definition;
  }

  /**
   * Checks that there may be queues of this type. The error is that of RabbitMQ 4.3, with the
   * reason.
   *
   * @throws ConnectionException 541 if not
   */
  void requireEnabled(QueueDefinition wanted) {
    QueueType type = wanted.settings().type();
    if (defaults.disabledTypes().contains(type)) {
      throw new ConnectionException(
          ReplyCode.INTERNAL_ERROR,
          ("Cannot declare a queue 'queue '%s' in vhost '%s'' of type '%s': the corresponding"
                  + " feature flag is disabled: queue_types.%s.enabled = false")
              .formatted(wanted.name(), vhost, type.module(), type.wireName()));
    }
  }

  /** Checks an exchange; see {@link #check(ExchangeDefinition, String)}. */
  public void check(ExchangeDefinition exchange) {
    check(exchange, vhost);
  }

  /**
   * Checks an exchange.
   *
   * @param vhost its virtual host, for the error's text
   * @throws io.mayflymq.protocol.types.ChannelException 403 for a reserved name, 406 if an argument
   *     is not valid
   */
  static void check(ExchangeDefinition exchange, String vhost) {
    Preconditions.requireUnreserved("exchange", exchange.name());
    exchange.type().validate(exchange.arguments());
    String subject = "exchange '%s' in vhost '%s'".formatted(exchange.name(), vhost);
    ExpiresArgument.of(exchange.arguments(), ExpiresArgument.OWN, subject);
    ExpiresArgument.of(exchange.arguments(), ExpiresArgument.OF_BINDINGS, subject);
  }

  /**
   * Checks a binding.
   *
   * @param source the exchange that it is from
   * @throws io.mayflymq.protocol.types.ChannelException 406 if an argument or the routing key is
   *     not valid
   */
  public void check(Binding binding, ExchangeDefinition source) {
    source.routingType().validate(binding);
    expiresOf(binding, vhost);
  }

  /**
   * Returns how long a binding may stay unused by its argument, in ms; {@link QueueSettings#NONE}
   * if it has none.
   *
   * @param vhost its virtual host, for the error's text
   * @throws io.mayflymq.protocol.types.ChannelException 406 if it is not valid
   */
  static long expiresOf(Binding binding, String vhost) {
    return binding.arguments().containsKey(ExpiresArgument.OWN)
        ? ExpiresArgument.of(
            binding.arguments(),
            ExpiresArgument.OWN,
            "binding from exchange '%s' in vhost '%s'".formatted(binding.source(), vhost))
        : QueueSettings.NONE;
  }

  /**
   * Checks a policy.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if a key is deprecated and denied
   */
  public void check(Policy policy) {
    VhostPolicies.requirePermitted(policy.definition(), deprecated);
  }
}
