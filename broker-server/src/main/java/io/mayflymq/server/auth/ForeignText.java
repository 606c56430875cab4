package io.mayflymq.server.auth;

import java.util.regex.Pattern;

/** Texts of services, as the log may have them. */
public final class ForeignText {
  private static final Pattern CONTROL_CHARACTERS = Pattern.compile("[\\p{Cntrl}\u2028\u2029]+");
  private static final int MOST_CHARACTERS = 200;
  private static final String HIDDEN = "(not shown)";

  private ForeignText() {}

  /**
   * Returns a text as one short line.
   *
   * @param secrets what it must not have, and what a service may repeat; null and empty ones do not
   *     count
   */
  public static String line(String text, String... secrets) {
    String open = text;
    for (String secret : secrets) {
      if (secret != null && !secret.isEmpty()) {
        open = open.replace(secret, HIDDEN);
      }
    }
    String line = CONTROL_CHARACTERS.matcher(open).replaceAll(" ");
    return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "...";
  }
}
