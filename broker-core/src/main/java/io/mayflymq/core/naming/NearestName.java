package io.mayflymq.core.naming;

import java.util.Optional;

/** Finds the known name that a mistyped one probably means. */
public final class NearestName {
  private static final int SHORT = 4;
  private static final int USUAL_EDITS = 2;
  private static final int CHARACTERS_PER_EDIT = 3;

  private NearestName() {}

  /**
   * Returns the known name that differs least, but does, if it differs in at most a third of the
   * characters, or in two. Of several the first is returned.
   */
  public static Optional<String> of(String unknown, Iterable<String> known) {
    String nearest = null;
    int most = mostEdits(unknown.length());
    for (String name : known) {
      // The difference in length is a lower bound.
      if (Math.abs(name.length() - unknown.length()) <= most) {
        int edits = edits(unknown, name);
        if (edits > 0 && edits <= most) {
          nearest = name;
          most = edits - 1;
        }
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** Returns {@code ; did you mean 'x'?} for the end of a sentence; empty if no name is near. */
  public static String hint(String unknown, Iterable<String> known) {
    return of(unknown, known).map(name -> "; did you mean '" + name + "'?").orElse("");
  }

  /** Returns how many edits a name of this length may be away from the one that was meant. */
  public static int mostEdits(int length) {
    return length <= SHORT ? 1 : Math.max(USUAL_EDITS, length / CHARACTERS_PER_EDIT);
  }

  /**
   * Returns how many characters must be put in, taken out, replaced or swapped with the next one:
   * the distance of optimal string alignment.
   */
  public static int edits(String from, String to) {
    int[] last = new int[to.length() + 1];
    int[] previous = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] current = new int[to.length() + 1];
      current[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          current[j] = Math.min(current[j], last[j - 2] + 1);
        }
      }
      last = previous;
      previous = current;
    }
    return previous[to.length()];
  }
}
