package io.mayflymq.core.security;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A regular expression over names of queues and exchanges, or routing keys, as administrators write
 * them: it matches if it is found anywhere in the name (rabbitmq.com/docs/access-control). The
 * empty pattern is RabbitMQ's {@code ^$}: it matches only the empty name.
 *
 * <p>RabbitMQ uses PCRE, which backtracks: a pattern like {@code (a+)+$} takes time exponential in
 * the length of a name that a client chose. RE2/J takes linear time, at the price of look-around
 * and back-references. Patterns with these exist in the wild ({@code ^(?!amq\.)} is in RabbitMQ's
 * own documentation), so they go to java.util.regex with a {@linkplain BoundedRegex limit} on the
 * steps, past which a name counts as not matched.
 *
 * <p>The cost of a pattern is estimated before it is compiled ({@link RegexCost}), and one that
 * costs too much is refused. A stored pattern from an earlier version, which had no such check, is
 * not compiled then, and matches nothing.
 *
 * <p>Thread-safe, and immutable except for a cache: the results for recent names are cached, up to
 * a limit, so that a check costs a look-up. It is a plain map, which is quicker and smaller than a
 * cache that evicts: there are three patterns for each permission, and a check for each publish.
 */
public final class NamePattern {
  /**
   * The largest size that repetitions may add to a pattern, in characters; a name has 255 bytes at
   * most.
   */
  public static final int MAX_COPIES = 10_000;

  private static final int MAX_DEPTH = 200;
  private static final int MAX_REMEMBERED = 1024;

  private final String source;
  private final Predicate<String> regex;
  private final ConcurrentHashMap<String, Boolean> remembered;
  private final String problem;

  /** Asked for with every policy that is set, so it is found out once. */
  private final long size;

  private NamePattern(String source, Predicate<String> regex, boolean remember, String problem) {
    this.source = source;
    this.problem = problem;
    this.regex = regex;
    this.size = problem == null ? RegexCost.of(source).size() : 0;
    this.remembered = remember ? new ConcurrentHashMap<>(0) : null;
  }

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if it is not a regular expression, or costs too much; the
   *     message says why
   */
  public static NamePattern of(String source) {
    requireAffordable(source);
    return compiled(source);
  }

  /**
   * Compiles a stored pattern, maybe from a version with other limits. If it cannot be compiled now
   * it matches nothing, and {@link #problem} returns the reason.
   */
  public static NamePattern kept(String source) {
    try {
      return of(source);
    } catch (IllegalArgumentException e) {
      return new NamePattern(source, name -> false, false, e.getMessage());
    }
  }

  /**
   * Compiles a pattern that ignores case and finds the same with the same limits, for the names of
   * one list: no result is remembered.
   *
   * @throws IllegalArgumentException if it is not a regular expression, or costs too much; the
   *     message says why
   */
  public static Predicate<String> ignoringCase(String source) {
    requireAffordable(source);
    return compile(source, true);
  }

  /** Returns its size, with all repetitions expanded. */
  public long size() {
    return size;
  }

  /** Returns why it matches nothing; null if it can match. */
  public String problem() {
    return problem;
  }

  private static void requireAffordable(String source) {
    RegexCost cost = RegexCost.of(source);
    long most = MAX_COPIES + (long) source.length();
    if (cost.size() > most) {
      throw new PatternTooLargeException(
          "regular expression is too large: with its repetitions written out it has up to %d"
                  .formatted(cost.size())
              + " characters, of which %d are allowed".formatted(most));
    }
    if (cost.depth() > MAX_DEPTH) {
      throw new PatternTooLargeException(
          "regular expression is too deep: it has groups in groups to a depth of %d, of which %d is allowed"
              .formatted(cost.depth(), MAX_DEPTH));
    }
  }

  private static NamePattern compiled(String source) {
    return switch (source) {
      case "" -> new NamePattern(source, String::isEmpty, false, null);
      case ".*" -> new NamePattern(source, name -> true, false, null);
      default -> new NamePattern(source, compile(source, false), true, null);
    };
  }

  private static Predicate<String> compile(String source, boolean ignoreCase) {
    try {
      Pattern linear = Pattern.compile(source, ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
      return name -> linear.matcher(name).find();
    } catch (PatternSyntaxException unsupported) {
      return BoundedRegex.compile(source, ignoreCase);
    }
  }

  /** Whether the pattern is found in the name. */
  public boolean matches(String name) {
    if (remembered == null) {
      return regex.test(name);
    }
    Boolean known = remembered.get(name);
    if (known != null) {
      return known;
    }
    boolean result = regex.test(name);
    if (remembered.size() < MAX_REMEMBERED) {
      remembered.put(name, result);
    }
    return result;
  }

  /** The pattern as it was written. */
  public String source() {
    return source;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NamePattern that && source.equals(that.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }

  @Override
  public String toString() {
    return source;
  }
}
