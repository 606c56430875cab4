package io.mayflymq.core.security;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Estimates the cost of a regular expression before it is compiled.
 *
 * <p>RE2/J expands repetitions when it compiles: ((a{1000}){1000}){1000} becomes a thousand million
 * instructions, and exhausts the memory of the process. Java's own engine uses a counter instead,
 * but takes a thousand million steps when it matches. So the expression is parsed here once,
 * without building anything, and its size with all repetitions expanded is computed: never too
 * small, also for an invalid expression.
 *
 * <p>Where the two engines and this parser might disagree (a class within a class, comments in the
 * expression), the whole expression counts as repeated as often as all its repetitions together.
 *
 * <p>For Java's engine, which backtracks, there is a second number: in how many ways a part can
 * match without reading a character. (|)(|)(|)(|) has sixteen; such ways are not limited by
 * counting the characters that are read (BoundedRegex).
 */
final class RegexCost {
  /** A class of Unicode's, {@code \pL}, has a table of ranges, once for each time it is written. */
  private static final long TABLE = 50;

  /** Where it begins and ends, and that there may be nothing in it. */
  private static final int GROUP = 3;

  /** The way to an alternative, and that it may be nothing. */
  private static final int BRANCH = 2;

  private static final long MOST = 1L << 40;
  private static final int MOST_COPIES = 1 << 20;
  private static final Pattern REPETITION =
      Pattern.compile("\\{([0-9]{1,18})(,([0-9]{1,18})?)?\\}");

  /** An expression in parentheses, or the whole. */
  private static final class Group {
    /** Looks around without moving, or starts over: finds nothing or the empty text. */
    final boolean isAssertion;

    long size;
    double silentBits;

    /** The alternatives before this one that can be found without reading. */
    int silentAlternatives;

    /** Whether the current alternative can be found without reading. */
    boolean silent = true;

    /** The last part, to which a repetition refers. */
    long lastSize;

    double lastBits;
    boolean lastSilent;

    /** Whether all parts before the last can be found without reading. */
    boolean silentBefore = true;

    Group(boolean isAssertion) {
      this.isAssertion = isAssertion;
    }

    void part(long partSize, double bits, boolean isSilent) {
      silentBefore = silent;
      lastSize = partSize;
      lastBits = bits;
      lastSilent = isSilent;
      size = Math.min(MOST, size + partSize);
      silentBits += bits;
      silent &= isSilent;
    }

    /** The last part is there from so many to so many times. */
    void repeat(long least, long most, boolean unbounded) {
      long copies = Math.max(1, unbounded ? least + 1 : most);
      copies = Math.min(MOST_COPIES, copies);
      double range = unbounded ? 2 : Math.min(MOST_COPIES, most - least + 1);
      double choice = lastSilent && range > 1 ? Math.log(range) / Math.log(2) : 0;
      long repeated = Math.min(MOST, lastSize * copies + copies);
      double bits = lastBits * copies + choice;
      boolean isSilent = lastSilent || least == 0;
      size -= lastSize;
      silentBits -= lastBits;
      silent = silentBefore;
      part(repeated, bits, isSilent);
    }

    void nextAlternative() {
      endOfAlternative();
      silent = true;
      silentBefore = true;
      lastSize = 0;
      lastBits = 0;
      size += BRANCH;
    }

    private void endOfAlternative() {
      if (silent) {
        silentAlternatives++;
      }
    }

    void end() {
      endOfAlternative();
      if (silentAlternatives > 1) {
        silentBits += Math.log(silentAlternatives) / Math.log(2);
      }
    }
  }

  private final String source;
  private final Deque<Group> open = new ArrayDeque<>();
  private Group group = new Group(false);
  private int next;
  private int depth;
  private long tables;
  private boolean unsure;

  private RegexCost(String source) {
    this.source = source;
  }

  /** Reads an expression; takes time in proportion to its length. */
  static RegexCost of(String source) {
    RegexCost cost = new RegexCost(source);
    cost.read();
    return cost;
  }

  /** How many instructions it would have at most, with all repetitions written out. */
  long size() {
    return Math.min(MOST, tables + (unsure ? crudeSize() : group.size));
  }

  /** How deeply its groups are nested. */
  int depth() {
    return depth;
  }

  /** The ways to find a part of it without reading a character, at most. */
  double silentWays() {
    return unsure ? Double.POSITIVE_INFINITY : Math.pow(2, group.silentBits);
  }

  private void read() {
    while (next < source.length()) {
      char c = source.charAt(next);
      switch (c) {
        case '\\' -> escape();
        case '[' -> characterClass();
        case '(' -> beginGroup();
        case ')' -> endGroup();
        case '|' -> {
          group.nextAlternative();
          next++;
        }
        case '*', '+', '?' -> {
          group.repeat(c == '+' ? 1 : 0, 1, c != '?');
          next++;
          skipMode();
        }
        case '{' -> braces();
        default -> {
          group.part(1, 0, c == '^' || c == '$');
          next++;
        }
      }
    }
    while (!open.isEmpty()) {
      endGroup();
    }
    group.end();
  }

  /** A repetition is greedy, reluctant (?) or possessive (+). */
  private void skipMode() {
    if (next < source.length() && (source.charAt(next) == '?' || source.charAt(next) == '+')) {
      next++;
    }
  }

  private void braces() {
    Matcher repetition = REPETITION.matcher(source).region(next, source.length());
    if (!repetition.lookingAt()) {
      group.part(1, 0, false);
      next++;
      return;
    }
    long least = Long.parseLong(repetition.group(1));
    boolean unbounded = repetition.group(2) != null && repetition.group(3) == null;
    long most = repetition.group(3) == null ? least : Long.parseLong(repetition.group(3));
    group.repeat(least, most, unbounded);
    next = repetition.end();
    skipMode();
  }

  private void beginGroup() {
    int from = next;
    next++;
    boolean isAssertion = false;
    if (source.startsWith("(?", from)) {
      isAssertion =
          source.startsWith("=", from + 2)
              || source.startsWith("!", from + 2)
              || source.startsWith("<=", from + 2)
              || source.startsWith("<!", from + 2);
      // What follows up to here names the group, or sets flags; none of it is a part.
      next = from + 2;
      while (next < source.length() && ":=!>)".indexOf(source.charAt(next)) < 0) {
        unsure |= source.charAt(next) == 'x' && !source.startsWith("<", from + 2);
        next++;
      }
      boolean setsFlags = next < source.length() && source.charAt(next) == ')';
      next++;
      if (setsFlags) {
        // It is no part: a repetition behind it is of the part before it, maybe once more.
        return;
      }
    }
    open.push(group);
    group = new Group(isAssertion);
    depth = Math.max(depth, open.size());
  }

  private void endGroup() {
    next++;
    if (open.isEmpty()) {
      return;
    }
    Group ended = group;
    ended.end();
    group = open.pop();
    group.part(
        ended.size + GROUP, ended.silentBits, ended.isAssertion || ended.silentAlternatives > 0);
  }

  private void escape() {
    next++;
    if (next == source.length()) {
      group.part(1, 0, false);
      return;
    }
    char c = source.charAt(next);
    next++;
    switch (c) {
      case 'Q' -> {
        int end = source.indexOf("\\E", next);
        int stop = end < 0 ? source.length() : end;
        for (int i = next; i < stop; i++) {
          group.part(1, 0, false);
        }
        next = end < 0 ? stop : end + 2;
      }
      case 'p', 'P' -> {
        tables += TABLE;
        skipInBraces();
        group.part(1, 0, false);
      }
      case 'x', 'N' -> {
        skipInBraces();
        group.part(1, 0, false);
      }
      // Places in the text, and what another group has found, which may be nothing.
      case 'b', 'B', 'A', 'z', 'Z', 'G', 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9' ->
          group.part(1, 0, true);
      default -> group.part(1, 0, false);
    }
  }

  private void skipInBraces() {
    if (source.startsWith("{", next)) {
      int end = source.indexOf('}', next);
      next = end < 0 ? source.length() : end + 1;
    }
  }

  /** What is in brackets, where a bracket that comes first stands for itself. */
  private void characterClass() {
    int from = next;
    next++;
    if (source.startsWith("^", next)) {
      next++;
    }
    if (source.startsWith("]", next)) {
      next++;
    }
    while (next < source.length() && source.charAt(next) != ']') {
      char c = source.charAt(next);
      if (c == '\\') {
        char escaped = next + 1 < source.length() ? source.charAt(next + 1) : ' ';
        tables += Character.toLowerCase(escaped) == 'p' ? TABLE : 0;
        unsure |= escaped == 'Q';
        next += 2;
      } else if (c == '[') {
        int end = source.indexOf(":]", next);
        if (end > 0 && source.substring(next, end).matches("\\[:\\^?[a-z]+")) {
          next = end + 2;
        } else {
          unsure = true;
          next++;
        }
      } else {
        unsure |= source.startsWith("&&", next);
        next++;
      }
    }
    next = Math.min(source.length(), next + 1);
    tables += next - from;
    group.part(1, 0, false);
  }

  /** As if all were repeated as often as all repetitions in it together say. */
  private long crudeSize() {
    long size = GROUP * (long) source.length();
    Matcher repetition = REPETITION.matcher(source);
    while (repetition.find()) {
      String most = repetition.group(3) == null ? repetition.group(1) : repetition.group(3);
      size = Math.min(MOST, size * Math.min(MOST_COPIES, 2 + Long.parseLong(most)));
    }
    return size;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d instructions, %.0f ways", size(), silentWays());
  }
}
