package io.mayflymq.core.routing;

/**
 * The words of a key of a topic exchange. A position is the index of the first character of a word,
 * or the {@link #end} behind the last one. As in RabbitMQ the empty key has no word, so {@code #}
 * matches it and {@code *} does not; elsewhere a word may be empty: {@code a.} has two.
 */
final class TopicKey {
  /** In a binding key: exactly one word. */
  static final char ANY_WORD = '*';

  /** In a binding key: any number of words. */
  static final char ANY_WORDS = '#';

  private TopicKey() {}

  /** The position behind the last word; 0 for the empty key. */
  static int end(String key) {
    return key.isEmpty() ? 0 : key.length() + 1;
  }

  /** The position behind the word at a position. */
  static int next(String key, int position) {
    return wordEnd(key, position) + 1;
  }

  /** The word at a position. */
  static String word(String key, int position) {
    return key.substring(position, wordEnd(key, position));
  }

  private static int wordEnd(String key, int position) {
    int dot = key.indexOf('.', position);
    return dot < 0 ? key.length() : dot;
  }

  /** Whether the word at a position is this one character. */
  static boolean isWord(String key, int position, char word) {
    return position < key.length() && key.charAt(position) == word && endsAt(key, position + 1);
  }

  /** Whether the word at a position is this one. */
  static boolean isWord(String key, int position, String word) {
    return key.startsWith(word, position) && endsAt(key, position + word.length());
  }

  /** Whether a key has at a position the words that another one has between two positions. */
  static boolean hasWords(String key, int position, String other, int from, int to) {
    int length = to - from;
    return length == 0
        || (key.regionMatches(position, other, from, length - 1)
            && endsAt(key, position + length - 1));
  }

  /** Whether none of the words between two positions is a wildcard. */
  static boolean isLiteral(String key, int from, int to) {
    for (int position = from; position < to; position = next(key, position)) {
      if (isWord(key, position, ANY_WORD) || isWord(key, position, ANY_WORDS)) {
        return false;
      }
    }
    return true;
  }

  private static boolean endsAt(String key, int index) {
    return index == key.length() || (index < key.length() && key.charAt(index) == '.');
  }
}
