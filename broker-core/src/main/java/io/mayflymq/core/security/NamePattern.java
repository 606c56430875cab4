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
 * <p>Immutable as far as one can see, and safe to use from any thread. The names that were asked
 * about are remembered, up to a limit, so that a check costs a look-up.
 */
public final class NamePattern {
  private static final int MAX_REMEMBERED = 1024;

  private final String source;
  private final Predicate<String> regex;
  private final ConcurrentHashMap<String, Boolean> remembered;

  private NamePattern(String source, Predicate<String> regex, boolean remember) {
    this.source = source;
    this.regex = regex;
    this.remembered = remember ? new ConcurrentHashMap<>(0) : null;
  }

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if it is not a regular expression; the message says why
   */
  public static NamePattern of(String source) {
    return switch (source) {
      case "" -> new NamePattern(source, String::isEmpty, false);
      case ".*" -> new NamePattern(source, name -> true, false);
      default -> new NamePattern(source, compile(source), true);
    };
  }

  private static Predicate<String> compile(String source) {
    try {
      Pattern linear = Pattern.compile(source);
      return name -> linear.matcher(name).find();
    } catch (PatternSyntaxException unsupported) {
      return BoundedRegex.compile(source);
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
