package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.constant;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import io.mayflymq.server.config.LogSettings.Output;
import io.mayflymq.server.config.LogSettings.Rotation;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The keys of the log. Source of their names: RabbitMQ, "Logging". */
final class LogKeys {
  private static final Setting<Boolean> CONSOLE =
      Setting.of("log.console", bool(), "true", "Whether to log to standard output.");
  private static final Setting<LogLevel> CONSOLE_LEVEL =
      Setting.of("log.console.level", constant(LogLevel.class), "info", "Least level shown there.");
  private static final Setting<LogFormat> CONSOLE_FORMAT =
      Setting.of(
          "log.console.formatter",
          constant(LogFormat.class),
          "plaintext",
          "Text for people, or an object of JSON in each line.");
  private static final Setting<Optional<Path>> FILE =
      Setting.of(
          "log.file",
          orWord("false", path()).describedAs("a file name or false"),
          "false",
          "File to log to, or false.");
  private static final Setting<LogLevel> FILE_LEVEL =
      Setting.of("log.file.level", constant(LogLevel.class), "info", "Least level written there.");
  private static final Setting<LogFormat> FILE_FORMAT =
      Setting.of(
          "log.file.formatter",
          constant(LogFormat.class),
          "plaintext",
          "Text for people, or an object of JSON in each line.");
  private static final Setting<Path> DIR =
      Setting.of(
          "log.dir", path(), "log", "Where that file is; a relative path starts at data_dir.");
  private static final Setting<Integer> ROTATION_SIZE =
      Setting.of(
          "log.file.rotation.size",
          bytes(0, Integer.MAX_VALUE),
          "0",
          "Bytes after which a new file begins; 0 for no limit.");
  private static final Setting<Optional<RotationTime>> ROTATION_DATE =
      Setting.of(
          "log.file.rotation.date",
          orWord(
              "none",
              new ValueType<>(
                  "a time such as $D0, $W5D16 or $M1D0", text -> RotationTime.parse(text))),
          "none",
          "When a new file begins, in UTC: $D0 each day at midnight, $W5D16 Fridays at 16:00.");
  private static final Setting<Integer> ROTATION_COUNT =
      Setting.of(
          "log.file.rotation.count",
          wholeNumber("files", 1, 1000),
          "5",
          "Earlier log files that are kept.");
  private static final Setting<Boolean> ROTATION_COMPRESS =
      Setting.of(
          "log.file.rotation.compress", bool(), "false", "Whether earlier files are compressed.");

  /** The level of each category. */
  private static final Map<LogCategory, Setting<Optional<LogLevel>>> LEVELS = levels();

  private LogKeys() {}

  private static Map<LogCategory, Setting<Optional<LogLevel>>> levels() {
    Map<LogCategory, Setting<Optional<LogLevel>>> levels = new EnumMap<>(LogCategory.class);
    for (LogCategory category : LogCategory.values()) {
      String name = category.wireName();
      levels.put(
          category,
          Setting.of(
              "log." + name + ".level",
              orWord("inherit", constant(LogLevel.class)),
              "inherit",
              category == LogCategory.DEFAULT
                  ? "Least level of all lines, instead of the levels of console and file."
                  : "Least level of lines of the category " + name + "."));
    }
    return levels;
  }

  /** Returns all of them. */
  static List<Setting<?>> keys() {
    return Stream.<Setting<?>>concat(
            Stream.of(
                CONSOLE,
                CONSOLE_LEVEL,
                CONSOLE_FORMAT,
                FILE,
                FILE_LEVEL,
                FILE_FORMAT,
                DIR,
                ROTATION_SIZE,
                ROTATION_DATE,
                ROTATION_COUNT,
                ROTATION_COMPRESS),
            LEVELS.values().stream())
        .toList();
  }

  /** Returns those that can be changed while the broker runs. */
  static List<Setting<?>> changeable() {
    return Stream.<Setting<?>>concat(Stream.of(CONSOLE_LEVEL, FILE_LEVEL), LEVELS.values().stream())
        .toList();
  }

  /**
   * Returns where the log goes.
   *
   * @param dataDir where relative paths start
   */
  static LogSettings settings(SettingValues values, Path dataDir) {
    Map<LogCategory, LogLevel> levels = new EnumMap<>(LogCategory.class);
    LEVELS.forEach(
        (category, key) -> values.get(key).ifPresent(level -> levels.put(category, level)));
    return new LogSettings(
        values.get(CONSOLE)
            ? Optional.of(new Output(values.get(CONSOLE_LEVEL), values.get(CONSOLE_FORMAT)))
            : Optional.empty(),
        values.get(FILE).map(dataDir.resolve(values.get(DIR))::resolve),
        new Output(values.get(FILE_LEVEL), values.get(FILE_FORMAT)),
        new Rotation(
            values.get(ROTATION_SIZE),
            values.get(ROTATION_DATE),
            values.get(ROTATION_COUNT),
            values.get(ROTATION_COMPRESS)),
        Map.copyOf(levels));
  }
}
