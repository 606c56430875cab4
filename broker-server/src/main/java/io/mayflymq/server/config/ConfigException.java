package io.mayflymq.server.config;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration cannot be used. The message has a line for each error: where the text stands,
 * the key, the value, and what was expected. The daemon answers with exit code 78 (EX_CONFIG).
 */
public final class ConfigException extends Exception {
  /** Stands for the value of a secret. */
  public static final String NOT_SHOWN = "(not shown)";

  private static final Pattern NAME = Pattern.compile("[^\\s=:#]+");
  private static final int SHOWN_CHARACTERS = 80;

  /** One error. */
  public ConfigException(String error) {
    this(List.of(error));
  }

  /**
   * Several errors.
   *
   * @param errors a line for each, in the order in which they are to be read
   */
  public ConfigException(List<String> errors) {
    super(String.join("\n", errors));
  }

  /** Returns the errors, a line each. */
  public List<String> errors() {
    return getMessage().lines().toList();
  }

  /** Quotes the value of a key, unless it is a secret: errors end up in logs and tickets. */
  public static String quoteValue(boolean secret, String value) {
    return secret ? NOT_SHOWN : quote(value);
  }

  /**
   * Quotes a text that was to be a key and a value, without what follows the name of a secret.
   *
   * @param secrets tells which keys have secrets
   */
  public static String quoteEntry(String text, Predicate<String> secrets) {
    Matcher name = NAME.matcher(text);
    return name.lookingAt() && secrets.test(name.group())
        ? quote(name.group()) + " and a value " + NOT_SHOWN
        : quote(text);
  }

  /** Quotes what the operator wrote, cut to length and without what would break the line. */
  public static String quote(String text) {
    String cut =
        text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...";
    StringBuilder quoted = new StringBuilder("'");
    for (int i = 0; i < cut.length(); i++) {
      char c = cut.charAt(i);
      quoted.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? '?' : c);
    }
    return quoted.append('\'').toString();
  }
}
