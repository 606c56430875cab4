package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file that lists the plugins a RabbitMQ starts with, such as {@code [rabbitmq_management].}
 * What MayflyMQ has of them is built in, so the file only tells what its owner will miss.
 *
 * <p>Source: RabbitMQ, "Plugins", section "The Enabled Plugins File".
 */
final class EnabledPlugins {
  /** The environment variable that names the file. */
  static final String VARIABLE = "RABBITMQ_ENABLED_PLUGINS_FILE";

  /** A list of atoms of Erlang, with a full stop. */
  private static final Pattern LIST = Pattern.compile("\\s*\\[([\\w\\s,']*)]\\s*\\.\\s*");

  private static final Pattern COMMENT = Pattern.compile("%.*");
  private static final Pattern SEPARATORS = Pattern.compile("[\\s,']+");

  private EnabledPlugins() {}

  /** Returns what is to be said of a file at the start, a line each; nothing of a missing one. */
  static List<String> warnings(Path file) {
    String content;
    try {
      content = COMMENT.matcher(Files.readString(file)).replaceAll("");
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      return List.of("%s: %s cannot be read: %s".formatted(VARIABLE, file, e));
    }
    Matcher list = LIST.matcher(content);
    if (!list.matches()) {
      return List.of(
          "%s: %s: expected a list of plugins such as [rabbitmq_management,rabbitmq_prometheus]."
              .formatted(VARIABLE, file));
    }
    return SEPARATORS
        .splitAsStream(list.group(1))
        .filter(name -> !name.isEmpty() && !BuildInfo.PLUGINS.contains(name))
        .map(name -> "%s: %s: MayflyMQ has no plugin %s".formatted(VARIABLE, file, name))
        .toList();
  }
}
