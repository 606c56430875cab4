package io.mayflymq.server.config;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The keys of RabbitMQ that this broker knows and does not have, and values of the keys that it
 * has. Those that can be ignored safely cause a warning. The others are refused, because the broker
 * would be less safe than the configuration says.
 *
 * <p>The resource {@code foreign-keys.txt} lists them.
 */
final class ForeignKeys {
  private static final String RESOURCE = "foreign-keys.txt";
  private static final String IGNORED = "[ignored] ";
  private static final String REFUSED = "[refused] ";

  private ForeignKeys() {}

  /**
   * What becomes of a key.
   *
   * @param isRefused whether it is an error, and not only without effect
   * @param reason why, as the end of a sentence
   */
  public record Entry(boolean isRefused, String reason) {}

  private record Rule(Pattern keys, List<Pattern> values, Entry entry) {
    boolean covers(String key, String value) {
      String lower = value.toLowerCase(Locale.ROOT);
      return keys.matcher(key).matches()
          && (values.isEmpty() || values.stream().anyMatch(each -> each.matcher(lower).matches()));
    }
  }

  /** Returns what becomes of a key with a value; empty if RabbitMQ has no such key. */
  public static Optional<Entry> find(String key, String value) {
    return find(Catalog.RULES, key, value);
  }

  /**
   * Returns what becomes of a value that a key of this broker does not have; empty if RabbitMQ has
   * no such value either.
   */
  public static Optional<Entry> findValue(String key, String value) {
    return find(Catalog.RULES_ABOUT_VALUES, key, value);
  }

  private static Optional<Entry> find(List<Rule> rules, String key, String value) {
    return rules.stream().filter(rule -> rule.covers(key, value)).map(Rule::entry).findFirst();
  }

  /** Most configurations have none of these keys, so the resource is read when one is found. */
  private static final class Catalog {
    static final List<Rule> RULES = read();
    static final List<Rule> RULES_ABOUT_VALUES =
        RULES.stream().filter(rule -> !rule.values().isEmpty()).toList();

    private static List<Rule> read() {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(
                  ForeignKeys.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
        return rules(lines.lines().map(String::strip).toList());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static List<Rule> rules(List<String> lines) {
      List<Rule> rules = new ArrayList<>();
      Entry entry = null;
      for (String line : lines) {
        if (line.startsWith(IGNORED)) {
          entry = new Entry(false, line.substring(IGNORED.length()));
        } else if (line.startsWith(REFUSED)) {
          entry = new Entry(true, line.substring(REFUSED.length()));
        } else if (!line.isEmpty() && !line.startsWith("#")) {
          rules.add(rule(line, entry));
        }
      }
      return rules;
    }

    private static Rule rule(String line, Entry entry) {
      String[] parts = line.split(" = ", 2);
      return new Rule(
          pattern(parts[0]),
          parts.length == 1
              ? List.of()
              : Stream.of(parts[1].split("\\|")).map(Catalog::pattern).toList(),
          entry);
    }

    private static Pattern pattern(String text) {
      return Pattern.compile(Pattern.quote(text).replace("*", "\\E.*\\Q"));
    }
  }
}
