package io.mayflymq.core.policy;

import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.security.PatternTooLargeException;
import java.util.Map;
import java.util.regex.PatternSyntaxException;

/**
 * The pattern of a policy: a regular expression that is searched for anywhere in a name. The empty
 * one matches every name. Matching takes linear time, see {@link NamePattern}.
 *
 * @param source the text of the pattern
 * @param compiled the compiled pattern
 */
record PolicyPattern(String source, NamePattern compiled) {
  /** RabbitMQ 4.3's limit. */
  static final int MAX_BYTES = 1024;

  /** How the error begins that tells what is wrong with a regular expression. */
  static final String INVALID = "pattern should be regular expression but is invalid: ";

  private static final String FOUND_EVERYWHERE = ".*";

  /** Maps the error texts of Java's regular expressions to those of PCRE. */
  private static final Map<String, String> PCRE_WORDS =
      Map.of(
          "Unclosed group", "missing )",
          "Unclosed character class", "missing terminating ] for character class",
          "Unmatched closing ')'", "unmatched parentheses",
          "Illegal repetition range", "numbers out of order in {} quantifier",
          "Illegal character range", "range out of order in character class",
          "Unexpected internal error", "\\\\ at end of pattern");

  /**
   * Compiles a pattern.
   *
   * @throws PolicyException if it is too long or not a regular expression
   */
  static PolicyPattern of(String source) {
    if (ValueValidator.utf8Length(source) > MAX_BYTES) {
      throw new PolicyException("pattern must not exceed %d bytes".formatted(MAX_BYTES));
    }
    try {
      return new PolicyPattern(
          source, NamePattern.of(source.isEmpty() ? FOUND_EVERYWHERE : source));
    } catch (PatternTooLargeException e) {
      throw new PolicyException("pattern should be smaller: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new PolicyException(INVALID + reason(source, e));
    }
  }

  /** Creates the pattern of a stored policy: if it cannot be compiled now, it matches nothing. */
  static PolicyPattern kept(String source) {
    return new PolicyPattern(
        source, NamePattern.kept(source.isEmpty() ? FOUND_EVERYWHERE : source));
  }

  /** Describes the error as Erlang does: what is wrong, and at which position. */
  private static String reason(String source, IllegalArgumentException error) {
    if (!(error.getCause() instanceof PatternSyntaxException syntax)) {
      return error.getMessage();
    }
    String words = syntax.getDescription();
    if (words.startsWith("Dangling meta character")) {
      words = "nothing to repeat";
    }
    boolean unfinished = words.startsWith("Unclosed");
    int position = unfinished ? source.length() : Math.max(0, syntax.getIndex());
    return "{\"%s\",%d}".formatted(PCRE_WORDS.getOrDefault(words, words), position);
  }

  boolean isFoundIn(String name) {
    return compiled.matches(name);
  }

  @Override
  public String toString() {
    return source;
  }
}
