package io.mayflymq.core.routing;

import java.util.stream.IntStream;

/**
 * A pattern of SQL: {@code _} is one character, {@code %} any number of them, and what follows the
 * escape character stands for itself. A match takes at most as many steps as the product of both
 * lengths.
 */
final class LikePattern {
  private static final int ONE = -1;
  private static final int ANY = -2;

  /** The characters; wildcards are negative. */
  private final int[] codes;

  private LikePattern(int[] codes) {
    this.codes = codes;
  }

  /** Reads a pattern; escape is a character, or negative for none. */
  static LikePattern of(String text, int escape) {
    IntStream.Builder codes = IntStream.builder();
    int[] points = text.codePoints().toArray();
    for (int i = 0; i < points.length; i++) {
      if (points[i] == escape && i + 1 < points.length) {
        codes.add(points[++i]);
      } else if (points[i] == '_') {
        codes.add(ONE);
      } else if (points[i] == '%') {
        codes.add(ANY);
      } else {
        codes.add(points[i]);
      }
    }
    return new LikePattern(codes.build().toArray());
  }

  boolean matches(String text) {
    int[] points = text.codePoints().toArray();
    int at = 0;
    int place = 0;
    // Where to go on if what follows the last % does not match.
    int retry = -1;
    int retryPlace = 0;
    while (place < points.length) {
      if (at < codes.length && codes[at] == ANY) {
        retry = ++at;
        retryPlace = place;
      } else if (at < codes.length && (codes[at] == ONE || codes[at] == points[place])) {
        at++;
        place++;
      } else if (retry >= 0) {
        at = retry;
        place = ++retryPlace;
      } else {
        return false;
      }
    }
    while (at < codes.length && codes[at] == ANY) {
      at++;
    }
    return at == codes.length;
  }
}
