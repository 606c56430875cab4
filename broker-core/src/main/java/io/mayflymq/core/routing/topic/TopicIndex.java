package io.mayflymq.core.routing.topic;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.index.BindingIndex;
import io.mayflymq.core.routing.route.MessageProperties;
import io.mayflymq.core.routing.route.Target;
import io.mayflymq.core.routing.route.Targets;
import java.util.function.Consumer;

/** The bindings of a topic exchange, as a trie over the words of their keys. */
public record TopicIndex<Q>(TopicNode<Q> root) implements BindingIndex<Q> {
  private static final String[] NO_WORDS = {};

  /** The index without a binding. */
  public static <Q> TopicIndex<Q> empty() {
    return new TopicIndex<>(TopicNode.empty());
  }

  /**
   * The words of a key. As in RabbitMQ the empty key has none, so {@code #} matches it and {@code
   * *} does not; elsewhere a word may be empty: {@code a.} has two.
   */
  static String[] words(String key) {
    if (key.isEmpty()) {
      return NO_WORDS;
    }
    int count = 1;
    for (int i = 0; i < key.length(); i++) {
      if (key.charAt(i) == '.') {
        count++;
      }
    }
    String[] words = new String[count];
    int start = 0;
    for (int i = 0; i < count - 1; i++) {
      int dot = key.indexOf('.', start);
      words[i] = key.substring(start, dot);
      start = dot + 1;
    }
    words[count - 1] = key.substring(start);
    return words;
  }

  @Override
  public TopicIndex<Q> with(Binding binding, Target<Q> target) {
    return new TopicIndex<>(root.with(words(binding.routingKey()), 0, binding, target));
  }

  @Override
  public TopicIndex<Q> without(Binding binding) {
    TopicNode<Q> rest = root.without(words(binding.routingKey()), 0, binding);
    return rest == root ? this : new TopicIndex<>(rest);
  }

  @Override
  public boolean contains(Binding binding) {
    return root.contains(words(binding.routingKey()), binding);
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
    return TopicMatch.run(root, words(routingKey));
  }
}
