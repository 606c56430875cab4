package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;
import java.util.function.Consumer;

/** What follows a node of the trie of a topic exchange, by the next word of a key. Immutable. */
final class TopicBranches<Q> {
  private static final TopicBranches<Object> NONE =
      new TopicBranches<>(HashMap.empty(), null, null);

  private final HashMap<String, TopicNode<Q>> words;
  private final boolean hasLiterals;
  private final TopicNode<Q> anyWord;
  private final TopicNode<Q> anyWords;

  private TopicBranches(
      HashMap<String, TopicNode<Q>> words, TopicNode<Q> anyWord, TopicNode<Q> anyWords) {
    this.words = words;
    this.hasLiterals = !words.isEmpty();
    this.anyWord = anyWord;
    this.anyWords = anyWords;
  }

  /** Nothing follows. */
  @SuppressWarnings("unchecked") // it holds no Q
  static <Q> TopicBranches<Q> none() {
    return (TopicBranches<Q>) NONE;
  }

  /** Whether anything follows a literal word. */
  boolean hasLiterals() {
    return hasLiterals;
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

  /** What follows the word at a position of a binding key, or null. */
  TopicNode<Q> at(String key, int position) {
    if (TopicKey.isWord(key, position, TopicKey.ANY_WORD)) {
      return anyWord;
    }
    if (TopicKey.isWord(key, position, TopicKey.ANY_WORDS)) {
      return anyWords;
    }
    return word(TopicKey.word(key, position));
  }

  /**
   * These branches with another node behind the word at a position of a binding key.
   *
   * @param node null for none
   */
  TopicBranches<Q> with(String key, int position, TopicNode<Q> node) {
    if (TopicKey.isWord(key, position, TopicKey.ANY_WORD)) {
      return new TopicBranches<>(words, node, anyWords);
    }
    if (TopicKey.isWord(key, position, TopicKey.ANY_WORDS)) {
      return new TopicBranches<>(words, anyWord, node);
    }
    String word = TopicKey.word(key, position);
    return new TopicBranches<>(
        node == null ? words.remove(word) : words.put(word, node), anyWord, anyWords);
  }

  /** How many there are. */
  int size() {
    return words.size() + (anyWord == null ? 0 : 1) + (anyWords == null ? 0 : 1);
  }

  /** The node behind the only branch. */
  TopicNode<Q> only() {
    if (anyWord != null) {
      return anyWord;
    }
    return anyWords != null ? anyWords : words.valuesIterator().next();
  }

  void forEach(Consumer<TopicNode<Q>> action) {
    words.valuesIterator().forEachRemaining(action);
    if (anyWord != null) {
      action.accept(anyWord);
    }
    if (anyWords != null) {
      action.accept(anyWords);
    }
  }
}
