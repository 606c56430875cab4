package io.mayflymq.server.metrics;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bounds of buckets in OpenMetrics, as dashboards expect them: {@code 1e+06}, not {@code
 * 1000000.0}, as the library writes them. Prometheus 3 rewrites all bounds in this way, Prometheus
 * 2 keeps what it gets, and both ask for OpenMetrics; RabbitMQ's dashboards select bounds by this
 * text.
 */
final class BucketBounds {
  private static final Pattern LABEL = Pattern.compile("le=\"([0-9.E-]+)\"");

  /** The smallest power of ten that has an exponent, and the largest negative one. */
  private static final int LARGE = 6;

  private static final int SMALL = -5;

  private BucketBounds() {}

  /** Returns the text of a histogram with all its bounds rewritten. */
  static String rewrite(String text) {
    return LABEL
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    "le=\"" + shortest(Double.parseDouble(found.group(1))) + "\""));
  }

  /**
   * Returns a number of 0 or more as OpenMetrics does: with a point or an exponent, and no more
   * digits than needed.
   */
  static String shortest(double number) {
    BigDecimal exact = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    if (exact.signum() == 0) {
      return "0.0";
    }
    if (exponent >= LARGE || exponent <= SMALL) {
      String digits = exact.unscaledValue().toString();
      String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
      return "%s%se%s%02d"
          .formatted(digits.charAt(0), fraction, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
    String plain = exact.toPlainString();
    return plain.contains(".") ? plain : plain + ".0";
  }
}
