package io.mayflymq.core.routing;

import java.util.function.Consumer;

/** The bindings of a fanout exchange: all of them match. */
record FanoutIndex<Q>(BindingBucket<Q> bucket) implements BindingIndex<Q> {
  /** The index without a binding. */
  public static <Q> FanoutIndex<Q> empty() {
    return new FanoutIndex<>(BindingBucket.empty());
  }

  @Override
  public FanoutIndex<Q> with(Binding binding, Target<Q> target) {
    return new FanoutIndex<>(bucket.with(binding, target));
  }

  @Override
  public FanoutIndex<Q> without(Binding binding) {
    BindingBucket<Q> rest = bucket.without(binding);
    return rest == bucket ? this : new FanoutIndex<>(rest);
  }

  @Override
  public boolean contains(Binding binding) {
    return bucket.contains(binding);
  }

  @Override
  public boolean isEmpty() {
    return bucket.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    bucket.forEach(action);
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    return bucket.targets();
  }
}
