package io.mayflymq.core.routing.topic;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.index.BindingIndex;
import io.mayflymq.core.routing.route.MessageProperties;
import io.mayflymq.core.routing.route.Target;
import io.mayflymq.core.routing.route.Targets;
import java.util.function.Consumer;

/** The bindings of a topic exchange, as a trie over the words of their keys. */
public record TopicIndex<Q>(TopicNode<Q> root) implements BindingIndex<Q> {
  /** The index without a binding. */
  public static <Q> TopicIndex<Q> empty() {
    return new TopicIndex<>(TopicNode.empty());
  }

  @Override
  public TopicIndex<Q> with(Binding binding, Target<Q> target) {
    return new TopicIndex<>(root.with(binding, target));
  }

  @Override
  public TopicIndex<Q> without(Binding binding) {
    TopicNode<Q> rest = root.without(binding);
    return rest == root ? this : new TopicIndex<>(rest);
  }

  @Override
  public boolean contains(Binding binding) {
    return root.contains(binding);
  }

  @Override
  public boolean isEmpty() {
    return root.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    root.forEach(action);
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    return TopicMatch.run(root, routingKey);
  }
}
