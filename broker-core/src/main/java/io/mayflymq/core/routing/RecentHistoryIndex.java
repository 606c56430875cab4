package io.mayflymq.core.routing;

import java.util.function.Consumer;

/** The bindings of an exchange that keeps its latest messages: all of them match. */
record RecentHistoryIndex<Q>(FanoutIndex<Q> all, RecentHistory history) implements BindingIndex<Q> {
  /** The index without a binding of an exchange that keeps its messages there. */
  public static <Q> RecentHistoryIndex<Q> empty(RecentHistory history) {
    return new RecentHistoryIndex<>(FanoutIndex.empty(), history);
  }

  @Override
  public RecentHistoryIndex<Q> with(Binding binding, Target<Q> target) {
    return new RecentHistoryIndex<>(all.with(binding, target), history);
  }

  @Override
  public RecentHistoryIndex<Q> without(Binding binding) {
    return contains(binding) ? new RecentHistoryIndex<>(all.without(binding), history) : this;
  }

  @Override
  public boolean contains(Binding binding) {
    return all.contains(binding);
  }

  @Override
  public boolean isEmpty() {
    return all.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    all.forEach(action);
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    return all.match(routingKey, properties);
  }
}
