package io.mayflymq.core.routing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Matches one routing key against the trie of a topic exchange.
 *
 * <p>The trie is run as a nondeterministic automaton, one word after the other, rather than
 * searched by recursion: with several # in a pattern a search tries every way to share out the
 * words, which is exponential in the number of # and in the hands of any client that may bind.
 *
 * <p>A place of the automaton is a node whose words before it have been read, or a position among
 * these words. Words that are all literal are compared at once with the first of them; the place is
 * the node then, and waits until they have been read.
 *
 * <p>Two facts keep the run simple. A place has one before it, so an ordinary place is reached at
 * most once per word and needs no check for duplicates. And what follows a # stays reachable until
 * the end of the key, so those places are only ever added to; they are the only ones that can be
 * reached twice. A run takes at most (words of the key) x (places that match a prefix or follow a
 * reached #) steps; bindings that do not match cost nothing.
 */
final class TopicMatch<Q> {
  /**
   * Places in the order in which they were added. Of a node whose words are literal the position is
   * one in the routing key, where they have been read; of any other, one among its words.
   */
  private static final class Places<Q> {
    private static final int CAPACITY = 4;

    private TopicNode<Q>[] nodes;
    private int[] positions;
    private int size;

    void add(TopicNode<Q> node, int position) {
      if (nodes == null) {
        nodes = newNodes();
        positions = new int[CAPACITY];
      } else if (size == nodes.length) {
        nodes = Arrays.copyOf(nodes, 2 * size);
        positions = Arrays.copyOf(positions, 2 * size);
      }
      nodes[size] = node;
      positions[size++] = position;
    }

    @SuppressWarnings("unchecked") // only add writes to it
    private static <Q> TopicNode<Q>[] newNodes() {
      return (TopicNode<Q>[]) new TopicNode<?>[CAPACITY];
    }
  }

  /** The position of a literal node whose words have not been compared yet. */
  private static final int UNREAD = -1;

  private record Opened(TopicNode<?> node, int position) {}

  private final String routingKey;

  /** Reached by the words read so far, other than those after a {@code #}. */
  private Places<Q> reached = new Places<>();

  private Places<Q> next = new Places<>();

  /**
   * Those after a {@code #}, which the words read so far and any further ones lead to: positions
   * among the words of their nodes.
   */
  private final Places<Q> open = new Places<>();

  private Set<Opened> opened;

  /** The word that is being read, if it was asked for. */
  private String word;

  /** Where it begins, and what follows it. */
  private int from;

  private int after;

  /** What the one bucket that was found has, and the list of what all have if there are more. */
  private Targets<Q> only = Targets.none();

  private List<Targets<Q>> parts;

  private TopicMatch(String routingKey) {
    this.routingKey = routingKey;
  }

  static <Q> Targets<Q> run(TopicNode<Q> root, String routingKey) {
    TopicMatch<Q> match = new TopicMatch<>(routingKey);
    match.enter(root);
    match.swap();
    int end = TopicKey.end(routingKey);
    while (match.after < end) {
      match.read();
    }
    return match.result();
  }

  private void read() {
    word = null;
    from = after;
    after = TopicKey.next(routingKey, from);
    // What this word opens must not read this word again, hence the size from before.
    int openBefore = open.size;
    for (int i = 0; i < reached.size; i++) {
      TopicNode<Q> node = reached.nodes[i];
      int position = reached.positions[i];
      if (!node.isLiteral()) {
        step(node, position);
      } else if (position == from) {
        branch(node);
      } else if (position == UNREAD) {
        readAll(node);
      } else {
        keep(node, position);
      }
    }
    for (int i = 0; i < openBefore; i++) {
      TopicNode<Q> node = open.nodes[i];
      if (!node.isLiteral()) {
        step(node, open.positions[i]);
      } else if (node.from() == node.to()) {
        branch(node);
      } else {
        readAll(node);
      }
    }
    swap();
  }

  /** Arrives where the words of a node begin. */
  private void enter(TopicNode<Q> node) {
    if (node.from() == node.to()) {
      keep(node, after);
    } else if (node.isLiteral()) {
      next.add(node, UNREAD);
    } else {
      arrive(node, node.from());
    }
  }

  /** Reads the words of a node, which are literal, from this word on. */
  private void readAll(TopicNode<Q> node) {
    if (node.firstHash() == word().hashCode() && hasWordsOf(node)) {
      keep(node, from + node.to() - node.from());
    }
  }

  /** The first comparison is the one that is fast, and succeeds where no wildcard came before. */
  private boolean hasWordsOf(TopicNode<Q> node) {
    String key = node.key();
    return (node.to() > key.length() && routingKey.equals(key) && node.from() == from)
        || TopicKey.hasWords(routingKey, from, key, node.from(), node.to());
  }

  private void keep(TopicNode<Q> node, int position) {
    next.add(node, position);
    if (position == after) {
      openBehind(node, node.to());
    }
  }

  private void step(TopicNode<Q> node, int position) {
    if (position == node.to()) {
      branch(node);
      return;
    }
    String key = node.key();
    boolean any = TopicKey.isWord(key, position, TopicKey.ANY_WORD);
    if (!any && position == node.from() && node.firstHash() != word().hashCode()) {
      return;
    }
    int behind = TopicKey.next(key, position);
    if (any
        || (TopicKey.hasWords(routingKey, from, key, position, behind)
            && !TopicKey.isWord(key, position, TopicKey.ANY_WORDS))) {
      arrive(node, behind);
    }
  }

  private void branch(TopicNode<Q> node) {
    TopicBranches<Q> branches = node.branches();
    if (branches.hasLiterals()) {
      TopicNode<Q> literal = branches.word(word());
      if (literal != null) {
        enter(literal);
      }
    }
    if (branches.anyWord() != null) {
      enter(branches.anyWord());
    }
  }

  private String word() {
    if (word == null) {
      word = routingKey.substring(from, after - 1);
    }
    return word;
  }

  private void arrive(TopicNode<Q> node, int position) {
    if (position == node.to() || !TopicKey.isWord(node.key(), position, TopicKey.ANY_WORDS)) {
      next.add(node, position);
    }
    openBehind(node, position);
  }

  private void openBehind(TopicNode<Q> start, int position) {
    TopicNode<Q> node = start;
    int rest = position;
    do {
      if (rest == node.to()) {
        node = node.branches().anyWords();
        if (node == null) {
          return;
        }
        rest = node.from();
      } else if (!node.isLiteral() && TopicKey.isWord(node.key(), rest, TopicKey.ANY_WORDS)) {
        rest = TopicKey.next(node.key(), rest);
      } else {
        return;
      }
    } while (open(node, rest));
  }

  /** False if it was open already, and with it every place that follows it by more #. */
  private boolean open(TopicNode<Q> node, int position) {
    if (open.size > 0) {
      if (opened == null) {
        opened = new HashSet<>();
        for (int i = 0; i < open.size; i++) {
          opened.add(new Opened(open.nodes[i], open.positions[i]));
        }
      }
      if (!opened.add(new Opened(node, position))) {
        return false;
      }
    }
    open.add(node, position);
    return true;
  }

  private void swap() {
    Places<Q> read = reached;
    reached = next;
    next = read;
    next.size = 0;
  }

  private Targets<Q> result() {
    for (int i = 0; i < reached.size; i++) {
      TopicNode<Q> node = reached.nodes[i];
      if (reached.positions[i] == (node.isLiteral() ? after : node.to())) {
        collect(node);
      }
    }
    for (int i = 0; i < open.size; i++) {
      if (open.positions[i] == open.nodes[i].to()) {
        collect(open.nodes[i]);
      }
    }
    return parts == null ? only : Targets.union(parts);
  }

  private void collect(TopicNode<Q> node) {
    if (!node.bucket().isEmpty()) {
      add(node.bucket().targets());
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
