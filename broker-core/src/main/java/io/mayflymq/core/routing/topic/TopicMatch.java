package io.mayflymq.core.routing.topic;

import io.mayflymq.core.routing.route.Targets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Matches one routing key against the trie of a topic exchange.
 *
 * <p>The trie is run as a nondeterministic automaton, one word after the other, rather than
 * searched by recursion: with several {@code #} in a pattern a search tries every way to share out
 * the words, which is exponential in the number of {@code #} and in the hands of any client that
 * may bind. Two facts keep the run simple. A node has one parent, so an ordinary node is reached at
 * most once per word and needs no check for duplicates. And what follows a {@code #} stays
 * reachable until the end of the key, so those nodes are only ever added to; they are the only ones
 * that can be reached twice. A run takes at most (words of the key) x (nodes of the trie that match
 * a prefix or follow a reached {@code #}) steps; bindings that do not match cost nothing.
 */
final class TopicMatch<Q> {
  /** RoutingNodes reached by the words read so far, other than those after a {@code #}. */
  private List<TopicNode<Q>> reached = new ArrayList<>();

  private List<TopicNode<Q>> next = new ArrayList<>();

  /** RoutingNodes after a {@code #}, which the words read so far and any further ones lead to. */
  private final List<TopicNode<Q>> open = new ArrayList<>();

  private Set<TopicNode<Q>> opened;

  /** What the one bucket that was found has, and the list of what all have if there are more. */
  private Targets<Q> only = Targets.none();

  private List<Targets<Q>> parts;

  private TopicMatch() {}

  static <Q> Targets<Q> run(TopicNode<Q> root, String[] words) {
    TopicMatch<Q> match = new TopicMatch<>();
    match.arrive(root);
    match.swap();
    for (String word : words) {
      match.read(word);
    }
    return match.result();
  }

  private void read(String word) {
    // What this word opens must not read this word again, hence the size from before.
    int openBefore = open.size();
    for (TopicNode<Q> node : reached) {
      step(node, word);
    }
    for (int i = 0; i < openBefore; i++) {
      step(open.get(i), word);
    }
    swap();
  }

  private void step(TopicNode<Q> node, String word) {
    TopicNode<Q> literal = node.word(word);
    if (literal != null) {
      arrive(literal);
    }
    if (node.anyWord() != null) {
      arrive(node.anyWord());
    }
  }

  private void arrive(TopicNode<Q> node) {
    next.add(node);
    for (TopicNode<Q> rest = node.anyWords(); rest != null && open(rest); ) {
      rest = rest.anyWords();
    }
  }

  /** False if it was open already, and with it every node that follows it by more #. */
  private boolean open(TopicNode<Q> node) {
    if (!open.isEmpty()) {
      if (opened == null) {
        opened = new HashSet<>(open);
      }
      if (!opened.add(node)) {
        return false;
      }
    }
    open.add(node);
    return true;
  }

  private void swap() {
    List<TopicNode<Q>> read = reached;
    reached = next;
    next = read;
    next.clear();
  }

  private Targets<Q> result() {
    collect(reached);
    collect(open);
    return parts == null ? only : Targets.union(parts);
  }

  private void collect(List<TopicNode<Q>> nodes) {
    for (TopicNode<Q> node : nodes) {
      if (!node.bucket().isEmpty()) {
        add(node.bucket().targets());
      }
    }
  }

  private void add(Targets<Q> targets) {
    if (parts != null) {
      parts.add(targets);
    } else if (only.isEmpty()) {
      only = targets;
    } else {
      parts = new ArrayList<>();
      parts.add(only);
      parts.add(targets);
    }
  }
}
