package io.mayflymq.core.routing;

import io.mayflymq.core.routing.ErlangTermReader.SyntaxException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.vavr.Tuple2;
import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bindings of an exchange of RabbitMQ's JMS client, each with a selector in the argument {@code
 * rjms_erlang_selector}. Routing keys have no meaning. All selectors are tried with each message.
 */
final class JmsTopicIndex<Q> implements BindingIndex<Q> {
  private static final String ARGUMENT = "rjms_erlang_selector";

  /**
   * A binding.
   *
   * @param selector null if it could not be read, so that nothing matches
   */
  private record Entry<Q>(JmsSelector selector, Target<Q> target) {}

  private final HashMap<Binding, Entry<Q>> bindings;

  private JmsTopicIndex(HashMap<Binding, Entry<Q>> bindings) {
    this.bindings = bindings;
  }

  /** The index without a binding. */
  public static <Q> JmsTopicIndex<Q> empty() {
    return new JmsTopicIndex<>(HashMap.empty());
  }

  /**
   * Checks a binding that is about to be made.
   *
   * @throws ChannelException 406, with RabbitMQ's text and a reason, if it has no selector
   */
  public static void validate(Binding binding) {
    try {
      read(binding);
    } catch (SyntaxException e) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "invalid JMS selector: " + e.getMessage());
    }
  }

  private static JmsSelector read(Binding binding) throws SyntaxException {
    if (binding.arguments().get(ARGUMENT) instanceof FieldValue.LongString text) {
      return JmsSelector.parse(text.string());
    }
    throw new SyntaxException("expected a text in the argument '" + ARGUMENT + "'");
  }

  @Override
  public JmsTopicIndex<Q> with(Binding binding, Target<Q> target) {
    return new JmsTopicIndex<>(bindings.put(binding, new Entry<>(selector(binding), target)));
  }

  private JmsSelector selector(Binding binding) {
    Entry<Q> present = bindings.getOrElse(binding, null);
    if (present != null) {
      return present.selector();
    }
    try {
      return read(binding);
    } catch (SyntaxException e) {
      return null;
    }
  }

  @Override
  public JmsTopicIndex<Q> without(Binding binding) {
    return contains(binding) ? new JmsTopicIndex<>(bindings.remove(binding)) : this;
  }

  @Override
  public boolean contains(Binding binding) {
    return bindings.containsKey(binding);
  }

  @Override
  public boolean isEmpty() {
    return bindings.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    bindings.keysIterator().forEachRemaining(action);
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    FieldTable headers = properties.headers();
    List<Target<Q>> matched = new ArrayList<>();
    for (Tuple2<Binding, Entry<Q>> binding : bindings) {
      JmsSelector selector = binding._2().selector();
      if (selector != null && selector.matches(headers)) {
        matched.add(binding._2().target());
      }
    }
    return matched.isEmpty() ? Targets.none() : Targets.of(matched);
  }

  @Override
  public Targets<Q> match(List<String> routingKeys, MessageProperties properties) {
    return match("", properties);
  }

  @Override
  public boolean variesByMessage() {
    return true;
  }
}
