package io.mayflymq.core.routing.topic;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.index.BindingBucket;
import io.mayflymq.core.routing.route.Target;
import io.vavr.collection.HashMap;
import java.util.function.Consumer;

/**
 * A place in the trie of a topic exchange: the bindings whose keys end here, and the next words.
 * Immutable; a change copies the path from the root. Compares by identity.
 */
final class TopicNode<Q> {
  private static final String ANY_WORD = "*";
  private static final String ANY_WORDS = "#";

  private final BindingBucket<Q> bucket;
  private final HashMap<String, TopicNode<Q>> words;
  private final TopicNode<Q> anyWord;
  private final TopicNode<Q> anyWords;

  private TopicNode(
      BindingBucket<Q> bucket,
      HashMap<String, TopicNode<Q>> words,
      TopicNode<Q> anyWord,
      TopicNode<Q> anyWords) {
    this.bucket = bucket;
    this.words = words;
    this.anyWord = anyWord;
    this.anyWords = anyWords;
  }

  static <Q> TopicNode<Q> empty() {
    return new TopicNode<>(BindingBucket.empty(), HashMap.empty(), null, null);
  }

  BindingBucket<Q> bucket() {
    return bucket;
  }

  /** What follows if the next word is this one, literally; null if nothing does. */
  TopicNode<Q> word(String word) {
    return words.getOrElse(word, null);
  }

  /** What follows a {@code *}, or null. */
  TopicNode<Q> anyWord() {
    return anyWord;
  }

  /** What follows a {@code #}, or null. */
  TopicNode<Q> anyWords() {
    return anyWords;
  }

  private TopicNode<Q> child(String key) {
    return switch (key) {
      case ANY_WORD -> anyWord;
      case ANY_WORDS -> anyWords;
      default -> word(key);
    };
  }

  private TopicNode<Q> withChild(String key, TopicNode<Q> child) {
    return switch (key) {
      case ANY_WORD -> new TopicNode<>(bucket, words, child, anyWords);
      case ANY_WORDS -> new TopicNode<>(bucket, words, anyWord, child);
      default ->
          new TopicNode<>(
              bucket, child == null ? words.remove(key) : words.put(key, child), anyWord, anyWords);
    };
  }

  boolean isEmpty() {
    return bucket.isEmpty() && words.isEmpty() && anyWord == null && anyWords == null;
  }

  /** This node with a binding at the end of the words from {@code from} on. */
  TopicNode<Q> with(String[] key, int from, Binding binding, Target<Q> target) {
    if (from == key.length) {
      return new TopicNode<>(bucket.with(binding, target), words, anyWord, anyWords);
    }
    TopicNode<Q> child = child(key[from]);
    TopicNode<Q> base = child == null ? empty() : child;
    return withChild(key[from], base.with(key, from + 1, binding, target));
  }

  /** This node without a binding, and without the branch that held it alone. */
  TopicNode<Q> without(String[] key, int from, Binding binding) {
    if (from == key.length) {
      BindingBucket<Q> rest = bucket.without(binding);
      return rest == bucket ? this : new TopicNode<>(rest, words, anyWord, anyWords);
    }
    TopicNode<Q> child = child(key[from]);
    if (child == null) {
      return this;
    }
    TopicNode<Q> rest = child.without(key, from + 1, binding);
    if (rest == child) {
      return this;
    }
    return withChild(key[from], rest.isEmpty() ? null : rest);
  }

  boolean contains(String[] key, Binding binding) {
    TopicNode<Q> node = this;
    for (int i = 0; i < key.length && node != null; i++) {
      node = node.child(key[i]);
    }
    return node != null && node.bucket.contains(binding);
  }

  void forEach(Consumer<? super Binding> action) {
    bucket.forEach(action);
    words.valuesIterator().forEachRemaining(child -> child.forEach(action));
    if (anyWord != null) {
      anyWord.forEach(action);
    }
    if (anyWords != null) {
      anyWords.forEach(action);
    }
  }
}
