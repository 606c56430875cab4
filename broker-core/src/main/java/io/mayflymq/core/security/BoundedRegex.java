package io.mayflymq.core.security;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A backtracking regular expression that gives up: it counts how often it looks at a character of
 * the name, and past the limit the name is not matched. RabbitMQ 4.3 bounds PCRE in the same way.
 *
 * <p>The work between two such steps is bounded by the pattern itself: by its size, and by the
 * number of ways in which parts of it can match without reading a character, of which a pattern may
 * have few. So a pattern with many parts may take fewer steps.
 */
final class BoundedRegex {
  /** As RabbitMQ's match limit (rabbit_re.erl): some milliseconds at worst. */
  private static final int MAX_STEPS = 50_000;

  /** A pattern that may do more than this between two steps has fewer of them, to this number. */
  private static final int USUAL_COST = 256;

  private static final int MIN_STEPS = 1_000;

  /** Of a part of a pattern, without a character being read. */
  private static final int MAX_SILENT_WAYS = 16;

  private BoundedRegex() {}

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if it is not a regular expression, or could take long without
   *     a step
   */
  static Predicate<String> compile(String source, boolean ignoreCase) {
    Pattern pattern;
    RegexCost cost = RegexCost.of(source);
    try {
      pattern =
          Pattern.compile(source, ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "invalid regular expression '" + source + "': " + e.getDescription(), e);
    }
    if (cost.silentWays() > MAX_SILENT_WAYS) {
      throw new PatternTooLargeException(
          "regular expression could take too long: parts of it can be found in more than %d ways without a character"
              .formatted(MAX_SILENT_WAYS));
    }
    double between = cost.size() * cost.silentWays();
    int steps = (int) Math.max(MIN_STEPS, MAX_STEPS * USUAL_COST / Math.max(USUAL_COST, between));
    return name -> find(pattern, name, steps);
  }

  private static boolean find(Pattern pattern, String name, int steps) {
    try {
      return pattern.matcher(new CountedText(name, new Budget(steps))).find();
    } catch (OutOfStepsException | StackOverflowError e) {
      return false;
    }
  }

  private static final class OutOfStepsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfStepsException() {
      super("too many steps", null, false, false);
    }
  }

  /** The characters that are left to look at, shared by all parts of a text. */
  private static final class Budget {
    private int left;

    Budget(int steps) {
      left = steps;
    }

    void spend() {
      if (--left < 0) {
        throw new OutOfStepsException();
      }
    }
  }

  private record CountedText(CharSequence text, Budget budget) implements CharSequence {
    @Override
    public char charAt(int index) {
      budget.spend();
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new CountedText(text.subSequence(start, end), budget);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
