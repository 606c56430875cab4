package io.mayflymq.server.metrics;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text format 0.0.4 as RabbitMQ writes it: whole numbers have no fraction and no exponent.
 * Programs that were made for RabbitMQ's text take {@code 1.0} for no number, and look for {@code
 * le="1000000"}.
 *
 * <p>Source: the answers of RabbitMQ 4.3.6, where numbers of its counters for all protocols and of
 * Raft do have a fraction.
 */
final class TextFormat {
  private static final Pattern BOUND = Pattern.compile("le=\"([0-9.E-]+)\"");

  private TextFormat() {}

  /** Returns whether whole numbers of a family have a fraction. */
  static boolean hasFractions(String family) {
    return family.contains("_global_") || family.contains("_raft_");
  }

  /** Returns the text of a histogram with all its bounds rewritten. */
  static String rewriteBounds(String text) {
    return BOUND
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement("le=\"" + whole(found.group(1)) + "\""));
  }

  /** Appends lines, with whole numbers rewritten. */
  static void append(byte[] text, int from, int to, ByteArrayOutputStream out) {
    int line = from;
    while (line < to) {
      int end = line;
      int space = line;
      while (text[end] != '\n') {
        if (text[end] == ' ') {
          space = end;
        }
        end++;
      }
      if (text[line] == '#' || !appendWhole(text, line, space + 1, end, out)) {
        out.write(text, line, end - line);
      }
      out.write('\n');
      line = end + 1;
    }
  }

  private static boolean appendWhole(
      byte[] text, int line, int value, int end, ByteArrayOutputStream out) {
    if (end - value > 2 && text[end - 1] == '0' && text[end - 2] == '.') {
      out.write(text, line, end - 2 - line);
      return true;
    }
    for (int i = value; i < end; i++) {
      if (text[i] == 'E') {
        out.write(text, line, value - line);
        out.writeBytes(
            whole(new String(text, value, end - value, StandardCharsets.US_ASCII))
                .getBytes(StandardCharsets.US_ASCII));
        return true;
      }
    }
    return false;
  }

  private static String whole(String number) {
    BigDecimal exact = new BigDecimal(number).stripTrailingZeros();
    return exact.scale() <= 0 ? exact.toPlainString() : number;
  }
}
