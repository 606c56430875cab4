package io.mayflymq.core.routing;

import java.util.function.Consumer;

/**
 * A node of the trie of a topic exchange. Immutable. Compares by identity.
 *
 * <p>A place in the trie of a topic exchange where keys end or where they part, with the words that
 * lead to it from the branch of its parent.
 *
 * <p>Words between two such places have no nodes of their own: a binding of sixty words that shares
 * none of them with others is one node. A position is where a word begins in a key (TopicKey). All
 * keys that pass through a node begin with the same words, so one of them has the words for all,
 * and a position is the same in each of them; a binding that has gone may still lend its key to a
 * node.
 *
 * <p>A branch is the word behind a node. The parent has it among its branches, and the words of the
 * child begin behind it.
 */
final class TopicNode<Q> {
  /** A key that passes through this node. */
  private final String key;

  /** Where the words begin that lead here from the branch of the parent. */
  private final int from;

  /** Where they end, and what follows this node begins. */
  private final int to;

  /** Whether none of these words is a wildcard. */
  private final boolean literal;

  /** The hash code of the first of them; 0 if there is none. */
  private final int firstHash;

  private final BindingBucket<Q> bucket;
  private final TopicBranches<Q> branches;

  private TopicNode(
      String key, int from, int to, BindingBucket<Q> bucket, TopicBranches<Q> branches) {
    this.key = key;
    this.from = from;
    this.to = to;
    this.literal = TopicKey.isLiteral(key, from, to);
    this.firstHash = from < to ? TopicKey.word(key, from).hashCode() : 0;
    this.bucket = bucket;
    this.branches = branches;
  }

  /** The root of a trie without a binding. */
  static <Q> TopicNode<Q> empty() {
    return new TopicNode<>("", 0, 0, BindingBucket.empty(), TopicBranches.none());
  }

  private TopicNode<Q> with(BindingBucket<Q> changed) {
    return new TopicNode<>(key, from, to, changed, branches);
  }

  private TopicNode<Q> with(TopicBranches<Q> changed) {
    return new TopicNode<>(key, from, to, bucket, changed);
  }

  // For matching

  /** A key that has the words between {@link #from} and {@link #to}. */
  String key() {
    return key;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** Whether the words between {@link #from} and {@link #to} match nothing but themselves. */
  boolean isLiteral() {
    return literal;
  }

  /** The hash code of the word at {@link #from}, if there is one. */
  int firstHash() {
    return firstHash;
  }

  BindingBucket<Q> bucket() {
    return bucket;
  }

  /** What follows. */
  TopicBranches<Q> branches() {
    return branches;
  }

  boolean isEmpty() {
    return bucket.isEmpty() && branches.size() == 0;
  }

  // Changes

  /** This node with a binding whose key leads to {@link #from}. */
  TopicNode<Q> with(Binding binding, Target<Q> target) {
    String added = binding.routingKey();
    int end = TopicKey.end(added);
    int common = from;
    while (common < to && common < end) {
      int next = TopicKey.next(key, common);
      if (!TopicKey.hasWords(added, common, key, common, next)) {
        break;
      }
      common = next;
    }
    if (common < to) {
      TopicNode<Q> rest = new TopicNode<>(key, TopicKey.next(key, common), to, bucket, branches);
      TopicBranches<Q> fork = TopicBranches.<Q>none().with(key, common, rest);
      return new TopicNode<>(key, from, common, BindingBucket.<Q>empty(), fork)
          .with(binding, target);
    }
    if (to == end) {
      return with(bucket.with(binding, target));
    }
    TopicNode<Q> child = branches.at(added, to);
    TopicNode<Q> changed =
        child == null
            ? new TopicNode<>(
                added,
                TopicKey.next(added, to),
                end,
                BindingBucket.of(binding, target),
                TopicBranches.none())
            : child.with(binding, target);
    return with(branches.with(added, to, changed));
  }

  /** This node without a binding, and without the branch that held it alone. */
  TopicNode<Q> without(Binding binding) {
    String removed = binding.routingKey();
    if (!leadsHere(removed)) {
      return this;
    }
    if (to == TopicKey.end(removed)) {
      BindingBucket<Q> rest = bucket.without(binding);
      return rest == bucket ? this : with(rest);
    }
    TopicNode<Q> child = branches.at(removed, to);
    if (child == null) {
      return this;
    }
    TopicNode<Q> rest = child.without(binding);
    return rest == child ? this : with(branches.with(removed, to, rest.reduced()));
  }

  /** This node, which is no root: null if it is empty, one with its child if it is no fork. */
  private TopicNode<Q> reduced() {
    if (!bucket.isEmpty() || branches.size() > 1) {
      return this;
    }
    if (branches.size() == 0) {
      return null;
    }
    TopicNode<Q> child = branches.only();
    return new TopicNode<>(child.key, from, child.to, child.bucket, child.branches);
  }

  boolean contains(Binding binding) {
    String wanted = binding.routingKey();
    int end = TopicKey.end(wanted);
    TopicNode<Q> node = this;
    while (node != null && node.leadsHere(wanted)) {
      if (node.to == end) {
        return node.bucket.contains(binding);
      }
      node = node.branches.at(wanted, node.to);
    }
    return false;
  }

  /** Whether a key that leads to {@link #from} goes on to {@link #to}. */
  private boolean leadsHere(String other) {
    return TopicKey.hasWords(other, from, key, from, to);
  }

  void forEach(Consumer<? super Binding> action) {
    bucket.forEach(action);
    branches.forEach(child -> child.forEach(action));
  }
}
