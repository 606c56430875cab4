package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Arrays;
import java.util.function.Consumer;

/** The bindings of a topic exchange, as a trie over the words of their keys. */
record TopicIndex<Q>(TopicNode<Q> root) implements BindingIndex<Q> {
  private static final int MOST_WILDCARDS = 2;

  /** The index without a binding. */
  public static <Q> TopicIndex<Q> empty() {
    return new TopicIndex<>(TopicNode.empty());
  }

  /**
   * Checks the key of a binding that is about to be made.
   *
   * @throws ChannelException 406 if it has more than two words {@code #}, as in RabbitMQ 4.3: how
   *     long a match takes grows with each of them
   */
  public static void validate(String key) {
    long wildcards = Arrays.stream(key.split("\\.", -1)).filter("#"::equals).count();
    if (wildcards > MOST_WILDCARDS) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "Topic binding key '%s' uses %d '#' wildcards, at most %d are allowed"
              .formatted(key, wildcards, MOST_WILDCARDS));
    }
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
