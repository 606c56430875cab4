package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.constant;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import io.mayflymq.server.config.LogSettings.Output;
import io.mayflymq.server.config.LogSettings.Rotation;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where the log goes.
 *
 * @param console how it goes to standard output; empty if it does not
 * @param path the file it goes to, absolute
 * @param file how it goes there
 * @param rotation when a new file begins
 * @param levels the least levels of categories that have one of their own
 */
public record LogSettings(
    Optional<Output> console,
    Optional<Path> path,
    Output file,
    Rotation rotation,
    Map<LogCategory, LogLevel> levels) {
  static final Section SECTION = new Section("Log");

  private static final Setting<Boolean> CONSOLE =
      SECTION.add(Setting.of("log.console", bool(), "true", "Logs to standard output."));
  private static final Setting<LogLevel> CONSOLE_LEVEL =
      SECTION.addChangeable(
          Setting.of(
              "log.console.level",
              constant(LogLevel.class),
              "info",
              "The lowest level shown there."));
  private static final Setting<LogFormat> CONSOLE_FORMAT =
      SECTION.add(
          Setting.of(
              "log.console.formatter",
              constant(LogFormat.class),
              "plaintext",
              "Text for people, or an object of JSON in each line."));
  private static final Setting<Optional<Path>> FILE =
      SECTION.add(
          Setting.of(
              "log.file",
              orWord("false", ValueTypes.path()).describedAs("a file name or false"),
              "false",
              "Logs to a file."));
  private static final Setting<LogLevel> FILE_LEVEL =
      SECTION.addChangeable(
          Setting.of(
              "log.file.level",
              constant(LogLevel.class),
              "info",
              "The lowest level written there."));
  private static final Setting<LogFormat> FILE_FORMAT =
      SECTION.add(
          Setting.of(
              "log.file.formatter",
              constant(LogFormat.class),
              "plaintext",
              "Text for people, or an object of JSON in each line."));
  private static final Setting<Path> DIR =
      SECTION.add(
          Setting.of(
              "log.dir",
              ValueTypes.path(),
              "log",
              "The directory of that file; a relative path starts at `data_dir`."));
  private static final Setting<Integer> ROTATION_SIZE =
      SECTION.add(
          Setting.of(
              "log.file.rotation.size",
              bytes(0, Integer.MAX_VALUE),
              "0",
              "Bytes after which a new file begins; 0 for no limit."));
  private static final Setting<Optional<RotationTime>> ROTATION_DATE =
      SECTION.add(
          Setting.of(
              "log.file.rotation.date",
              orWord(
                  "none",
                  new ValueType<>(
                      "a time such as $D0, $W5D16 or $M1D0", text -> RotationTime.parse(text))),
              "none",
              "[When](logging.md#settings) a new file begins, in UTC."));
  private static final Setting<Integer> ROTATION_COUNT =
      SECTION.add(
          Setting.of(
              "log.file.rotation.count",
              wholeNumber("files", 1, 1000),
              "5",
              "The number of earlier files that are kept."));
  private static final Setting<Boolean> ROTATION_COMPRESS =
      SECTION.add(
          Setting.of("log.file.rotation.compress", bool(), "false", "Compresses earlier files."));

  /** The level of each category. */
  private static final Map<LogCategory, Setting<Optional<LogLevel>>> LEVELS = levelKeys();

  private static Map<LogCategory, Setting<Optional<LogLevel>>> levelKeys() {
    Map<LogCategory, Setting<Optional<LogLevel>>> levels = new EnumMap<>(LogCategory.class);
    for (LogCategory category : LogCategory.values()) {
      String name = category.wireName();
      levels.put(
          category,
          SECTION.addChangeable(
              Setting.of(
                  "log." + name + ".level",
                  orWord("inherit", constant(LogLevel.class)),
                  "inherit",
                  category == LogCategory.DEFAULT
                      ? "The lowest level of all lines, in place of those of console and file."
                      : "The lowest level of lines of [this category](logging.md#categories).")));
    }
    return levels;
  }

  /**
   * Returns where the log goes.
   *
   * @param dataDir where relative paths start
   */
  static LogSettings of(SettingValues values, Path dataDir) {
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

  /**
   * How lines are written.
   *
   * @param level the least level that is written
   * @param format as text or as JSON
   */
  public record Output(LogLevel level, LogFormat format) {}

  /**
   * When a new file begins, and what becomes of the earlier ones.
   *
   * @param bytes the size after which a new file begins; 0 for no limit
   * @param time when a new file begins at any size
   * @param count how many earlier files are kept
   * @param compress whether they are compressed
   */
  public record Rotation(long bytes, Optional<RotationTime> time, int count, boolean compress) {
    /** Whether the broker rotates the file itself. */
    public boolean isOn() {
      return bytes > 0 || time.isPresent();
    }
  }

  /** Returns whether the levels are the same. */
  public boolean hasLevelsOf(LogSettings other) {
    return console.map(Output::level).equals(other.console.map(Output::level))
        && file.level == other.file.level
        && levels.equals(other.levels);
  }
}
