package io.mayflymq.core.security;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A backtracking regular expression that gives up: it counts how often it looks at a character of
 * the name, and past the limit the name is not matched. RabbitMQ 4.3 bounds PCRE in the same way.
 */
final class BoundedRegex {
  /** As RabbitMQ's match limit (rabbit_re.erl): some milliseconds at worst. */
  private static final int MAX_STEPS = 50_000;

  private BoundedRegex() {}

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if it is not a regular expression
   */
  static Predicate<String> compile(String source) {
    Pattern pattern;
    try {
      pattern = Pattern.compile(source);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "invalid regular expression '" + source + "': " + e.getDescription(), e);
    }
    return name -> find(pattern, name);
  }

  private static boolean find(Pattern pattern, String name) {
    try {
      return pattern.matcher(new CountedText(name, new Budget())).find();
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
    private int left = MAX_STEPS;

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
