package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The format of rabbitmq.conf: {@code key = value} lines, where {@code #} begins a comment unless
 * it stands in quotes. Quotes, single or double, enclose a whole value and are needed only for one
 * that holds a {@code #} or outer spaces; three single quotes enclose one that may have several
 * lines. A dot that belongs to a name is written {@code \.}.
 */
final class ConfigFile {
  private static final String LONG_QUOTE = "'''";

  private ConfigFile() {}

  /**
   * Reads a file.
   *
   * @param secrets tells the keys whose values are not to be in an error
   * @param errors takes an error if the file cannot be read, and one for each line that is neither
   *     an entry nor a comment
   * @return what its other lines say, in their order
   */
  public static List<FileEntry> read(Path file, Predicate<String> secrets, ConfigErrors errors) {
    List<FileEntry> entries = new ArrayList<>();
    try {
      List<String> lines = lines(file);
      for (int i = 0; i < lines.size(); i++) {
        Origin origin = Origin.line(file, i + 1);
        StringBuilder content = new StringBuilder(lines.get(i).strip());
        if (content.isEmpty() || content.charAt(0) == '#') {
          continue;
        }
        while (isOpen(content) && i + 1 < lines.size()) {
          content.append('\n').append(lines.get(++i));
        }
        try {
          entries.add(entry(origin, content.toString().strip(), secrets));
        } catch (ConfigException e) {
          errors.add(e);
        }
      }
    } catch (ConfigException e) {
      errors.add(e);
    }
    return entries;
  }

  /** Returns whether an entry goes on in the next line. */
  private static boolean isOpen(StringBuilder entry) {
    int value = entry.indexOf("=") + 1;
    while (value < entry.length() && Character.isWhitespace(entry.charAt(value))) {
      value++;
    }
    return value > 0
        && entry.indexOf(LONG_QUOTE, value) == value
        && entry.indexOf(LONG_QUOTE, value + LONG_QUOTE.length()) < 0;
  }

  private static List<String> lines(Path file) throws ConfigException {
    try {
      String content = Files.readString(file);
      return (content.startsWith("\uFEFF") ? content.substring(1) : content).lines().toList();
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + ": expected a text file in UTF-8");
    } catch (NoSuchFileException e) {
      throw new ConfigException(file + ": no such file; expected a configuration file");
    } catch (AccessDeniedException e) {
      throw new ConfigException(file + ": permission denied; expected a readable file");
    } catch (IOException e) {
      String why = Files.isDirectory(file) ? "is a directory" : String.valueOf(e.getMessage());
      throw new ConfigException(file + ": " + why + "; expected a readable file");
    }
  }

  private static FileEntry entry(Origin origin, String content, Predicate<String> secrets)
      throws ConfigException {
    int equals = content.indexOf('=');
    String key = equals < 0 ? "" : content.substring(0, equals).strip();
    if (key.isEmpty() || key.chars().anyMatch(c -> c == '#' || Character.isWhitespace(c))) {
      throw new ConfigException(
          "%s: expected 'key = value', found %s"
              .formatted(origin.where(), ConfigException.quoteEntry(content, secrets)));
    }
    String name = key.replace("\\.", ".");
    String written = content.substring(equals + 1).strip();
    return new FileEntry(origin, name, value(origin, name, written, secrets));
  }

  private static String value(Origin origin, String key, String written, Predicate<String> secrets)
      throws ConfigException {
    char quote = written.isEmpty() ? ' ' : written.charAt(0);
    if (quote != '\'' && quote != '"') {
      int comment = written.indexOf('#');
      return comment < 0 ? written : written.substring(0, comment).strip();
    }
    String mark = written.startsWith(LONG_QUOTE) ? LONG_QUOTE : Character.toString(quote);
    int close = written.indexOf(mark, mark.length());
    String rest = close < 0 ? "" : written.substring(close + mark.length()).strip();
    if (close < 0 || !(rest.isEmpty() || rest.charAt(0) == '#')) {
      throw new ConfigException(
          "%s: bad value %s for key '%s': expected one quoted text, closed by %s"
              .formatted(
                  origin.where(),
                  ConfigException.quoteValue(secrets.test(key), written),
                  key,
                  mark));
    }
    String value = written.substring(mark.length(), close);
    return mark.equals(LONG_QUOTE) ? value.strip() : value;
  }
}
