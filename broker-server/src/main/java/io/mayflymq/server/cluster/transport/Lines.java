package io.mayflymq.server.cluster.transport;

/** Texts of other nodes, made fit for a line of the log. */
public final class Lines {
  private static final int LONGEST = 1000;

  private Lines() {}

  /** Returns a text without control characters, and not longer than 1000 characters. */
  public static String printable(String text) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), LONGEST));
    for (int i = 0; i < text.length() && i < LONGEST; i++) {
      char c = text.charAt(i);
      line.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? '?' : c);
    }
    return line.toString();
  }
}
