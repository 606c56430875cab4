package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.ChannelException;
import java.util.Locale;

/**
 * The kinds of exchange (AMQP 0-9-1, section 3.1.3). A kind is no more than the way its bindings
 * are indexed: another one is another constant with an index of its own, and the routing table need
 * not know.
 */
public enum ExchangeType {
  /** Routes to the bindings whose key equals the routing key. */
  DIRECT {
    @Override
    <Q> BindingIndex<Q> newIndex() {
      return DirectIndex.empty();
    }
  },
  /** Routes to all its bindings. */
  FANOUT {
    @Override
    <Q> BindingIndex<Q> newIndex() {
      return FanoutIndex.empty();
    }
  },
  /** Routes by patterns of words: {@code *} is one word, {@code #} any number of them. */
  TOPIC {
    @Override
    <Q> BindingIndex<Q> newIndex() {
      return TopicIndex.empty();
    }
  },
  /** Routes by the headers of a message, see {@link HeadersMatch}. */
  HEADERS {
    @Override
    <Q> BindingIndex<Q> newIndex() {
      return HeadersIndex.empty();
    }

    @Override
    public void validate(Binding binding) {
      HeadersMatch.validate(binding.arguments());
    }
  };

  private static final ExchangeType[] VALUES = values();

  private final String wireName = name().toLowerCase(Locale.ROOT);

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

  /**
   * Checks the arguments of a binding that is about to be made from an exchange of this type.
   *
   * @throws ChannelException 406, with RabbitMQ's text, if they make no sense to it
   */
  public void validate(Binding binding) {}

  abstract <Q> BindingIndex<Q> newIndex();

  @Override
  public String toString() {
    return wireName;
  }
}
