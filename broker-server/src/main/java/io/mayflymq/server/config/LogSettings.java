package io.mayflymq.server.config;

import java.nio.file.Path;
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
