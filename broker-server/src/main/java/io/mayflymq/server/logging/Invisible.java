package io.mayflymq.server.logging;

/**
 * Characters that end a line, move the cursor or turn the text around, wherever they stand: control
 * characters (U+0085 too), format characters such as those of bidirectional text, and the
 * separators U+2028 and U+2029.
 */
final class Invisible {
  private Invisible() {}

  /** Appends a text; each such character becomes the escapes of JSON and Java. */
  static void escape(CharSequence text, StringBuilder to) {
    for (int i = 0; i < text.length(); ) {
      int c = Character.codePointAt(text, i);
      int end = i + Character.charCount(c);
      if (c == '\n') {
        to.append("\\n");
      } else if (is(c)) {
        for (; i < end; i++) {
          to.append("\\u");
          for (int shift = 12; shift >= 0; shift -= 4) {
            to.append(Character.forDigit(text.charAt(i) >> shift & 0xf, 16));
          }
        }
      } else {
        to.append(text, i, end);
      }
      i = end;
    }
  }

  private static boolean is(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
