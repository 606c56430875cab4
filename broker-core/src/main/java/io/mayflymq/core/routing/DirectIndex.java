package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;
import java.util.function.Consumer;

/** The bindings of a direct exchange by their key. No bucket is empty. */
record DirectIndex<Q>(HashMap<String, BindingBucket<Q>> buckets) implements BindingIndex<Q> {
  /** The index without a binding. */
  public static <Q> DirectIndex<Q> empty() {
    return new DirectIndex<>(HashMap.empty());
  }

  private BindingBucket<Q> bucket(String routingKey) {
    return buckets.getOrElse(routingKey, null);
  }

  @Override
  public DirectIndex<Q> with(Binding binding, Target<Q> target) {
    BindingBucket<Q> bucket = bucket(binding.routingKey());
    return new DirectIndex<>(
        buckets.put(
            binding.routingKey(),
            bucket == null ? BindingBucket.of(binding, target) : bucket.with(binding, target)));
  }

  @Override
  public DirectIndex<Q> without(Binding binding) {
    BindingBucket<Q> bucket = bucket(binding.routingKey());
    if (bucket == null) {
      return this;
    }
    BindingBucket<Q> rest = bucket.without(binding);
    if (rest == bucket) {
      return this;
    }
    return new DirectIndex<>(
        rest.isEmpty()
            ? buckets.remove(binding.routingKey())
            : buckets.put(binding.routingKey(), rest));
  }

  @Override
  public boolean contains(Binding binding) {
    BindingBucket<Q> bucket = bucket(binding.routingKey());
    return bucket != null && bucket.contains(binding);
  }

  @Override
  public boolean isEmpty() {
    return buckets.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    buckets.valuesIterator().forEachRemaining(bucket -> bucket.forEach(action));
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    BindingBucket<Q> bucket = bucket(routingKey);
    return bucket == null ? Targets.none() : bucket.targets();
  }
}
