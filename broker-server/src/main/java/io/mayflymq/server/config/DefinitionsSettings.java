package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is imported at each start.
 *
 * @param file a file with definitions or a directory of them
 * @param skipIfUnchanged whether to import nothing if they are the same as the last time
 * @param strict whether one definition that is wrong refuses the start; else it is left out
 */
public record DefinitionsSettings(Optional<Path> file, boolean skipIfUnchanged, boolean strict) {
  static final Section SECTION = new Section("Definitions");

  static final Setting<Optional<Path>> LOAD_DEFINITIONS =
      SECTION.add(
          Setting.of(
              "load_definitions",
              orWord("none", path()),
              "none",
              "A file with [definitions](definitions.md), or a directory of files that end in"
                  + " `.json`, imported at each start."));

  static final Setting<Boolean> SKIP_DEFINITIONS_IF_UNCHANGED =
      SECTION.add(
          Setting.of(
              "definitions.skip_if_unchanged",
              bool(),
              "false",
              "Whether the import is skipped if they are the same as the last time, and"
                  + " nothing was left out then."));

  static final Setting<Boolean> STRICT_DEFINITIONS =
      SECTION.add(
          Setting.of(
              "definitions.strict",
              bool(),
              "false",
              "Whether one definition that is wrong refuses the start. Else it is [left"
                  + " out](definitions.md#at-the-start), with a warning."));

  static DefinitionsSettings of(SettingValues values) {
    return new DefinitionsSettings(
        values.get(LOAD_DEFINITIONS),
        values.get(SKIP_DEFINITIONS_IF_UNCHANGED),
        values.get(STRICT_DEFINITIONS));
  }
}
