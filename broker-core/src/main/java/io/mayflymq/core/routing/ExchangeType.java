package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Locale;

/**
 * The types of exchange: those of AMQP 0-9-1, section 3.1.3, and those of RabbitMQ's plugins. A
 * type only determines how the bindings are indexed: a further type is another constant with an
 * index of its own, and does not affect the routing table.
 */
public enum ExchangeType {
  /** Routes to the bindings whose key equals the routing key. */
  DIRECT {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return DirectIndex.empty();
    }
  },
  /** Routes to all its bindings. */
  FANOUT {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return FanoutIndex.empty();
    }
  },
  /** Routes by patterns of words: {@code *} is one word, {@code #} any number of them. */
  TOPIC {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return TopicIndex.empty();
    }

    @Override
    public void validate(Binding binding) {
      TopicIndex.validate(binding.routingKey());
    }
  },
  /** Routes by the headers of a message, see {@link HeadersMatch}. */
  HEADERS {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return HeadersIndex.empty();
    }

    @Override
    public void validate(Binding binding) {
      HeadersMatch.validate(binding.arguments());
    }
  },
  /** Distributes messages by a common property, see {@link ConsistentHash}. */
  X_CONSISTENT_HASH("Consistent Hashing Exchange") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return ChoiceIndex.empty(ConsistentHash.of(arguments));
    }

    @Override
    public void validate(FieldTable arguments) {
      ConsistentHash.validate(arguments);
    }

    @Override
    public void validate(Binding binding) {
      ConsistentHash.validateWeight(binding.routingKey());
    }
  },
  /** Routes to one binding, by a hash of the routing key and the number of bindings. */
  X_MODULUS_HASH("Modulus Hashing Exchange") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return ChoiceIndex.empty(ModulusHash.INSTANCE);
    }
  },
  /** Routes to one binding, chosen at random. */
  X_RANDOM("Randomly picks a binding (queue) to route via (to).") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return ChoiceIndex.empty(RandomChoice.INSTANCE);
    }
  },
  /** Routes to one queue of this node, chosen at random; all queues are on this node. */
  X_LOCAL_RANDOM("Picks one random local binding (queue) to route via (to).") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return ChoiceIndex.empty(RandomChoice.INSTANCE);
    }

    @Override
    public void validate(Binding binding) {
      if (!binding.routingKey().isEmpty()) {
        throw new ChannelException(
            ReplyCode.PRECONDITION_FAILED,
            "Non empty binding '%s' key not permitted".formatted(binding.routingKey()));
      }
      if (binding.destinationKind() != DestinationKind.QUEUE) {
        throw new ChannelException(ReplyCode.PRECONDITION_FAILED, "Destination not found");
      }
    }
  },
  /** Routes to all its bindings, and to a new one the last messages, see {@link RecentHistory}. */
  X_RECENT_HISTORY("Recent History Exchange.") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return RecentHistoryIndex.empty(new RecentHistory(arguments));
    }

    @Override
    public void validate(FieldTable arguments) {
      RecentHistory.validate(arguments);
    }
  },
  /**
   * Routes what may pass another link to all its bindings, see {@link FederationUpstreamIndex}.
   * Federation declares it at an upstream, between the federated exchange and the queue of its
   * link.
   */
  X_FEDERATION_UPSTREAM("Federation upstream helper exchange") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return FederationUpstreamIndex.empty(arguments);
    }
  },
  /** Routes like another type, and delays messages on request, see {@link DelayedType}. */
  X_DELAYED_MESSAGE("Delayed Message Exchange.") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return DelayedType.of(arguments).newIndex(arguments);
    }

    @Override
    public void validate(FieldTable arguments) {
      DelayedType.validate(arguments);
    }
  },
  /** Routes by the selectors of consumers of RabbitMQ's JMS client, see {@link JmsTopicIndex}. */
  X_JMS_TOPIC("JMS selector exchange") {
    @Override
    public <Q> BindingIndex<Q> newIndex(FieldTable arguments) {
      return JmsTopicIndex.empty();
    }

    @Override
    public void validate(Binding binding) {
      JmsTopicIndex.validate(binding);
    }
  };

  private static final ExchangeType[] VALUES = values();

  private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');
  private final String description;

  ExchangeType() {
    description = "AMQP %s exchange, as per the AMQP specification".formatted(wireName);
  }

  ExchangeType(String description) {
    this.description = description;
  }

  /**
   * The type of this name in {@code exchange.declare}.
   *
   * @return null if there is no such type; the caller says {@code unknown exchange type 'x'}
   */
  public static ExchangeType ofWireName(String name) {
    for (ExchangeType type : VALUES) {
      if (type.wireName.equals(name)) {
        return type;
      }
    }
    return null;
  }

  /** The name in {@code exchange.declare}. */
  public String wireName() {
    return wireName;
  }

  /** Returns the description in RabbitMQ's management. */
  public String description() {
    return description;
  }

  /**
   * Checks the arguments of an exchange of this type that is about to be declared.
   *
   * @throws ChannelException 406, with RabbitMQ's text, if they make no sense to it
   */
  public void validate(FieldTable arguments) {}

  /**
   * Checks the arguments of a binding that is about to be made from an exchange that routes as this
   * type does.
   *
   * @throws ChannelException 406, with RabbitMQ's text, if they make no sense to it
   */
  public void validate(Binding binding) {}

  /**
   * The index, without a binding, of an exchange of this type.
   *
   * @param arguments those of the exchange, which are valid
   */
  public abstract <Q> BindingIndex<Q> newIndex(FieldTable arguments);

  @Override
  public String toString() {
    return wireName;
  }
}
