package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is imported at each start.
 *
 * @param file a file with definitions or a directory of them
 * @param skipIfUnchanged whether to import nothing if they are the same as the last time
 * @param strict whether one definition that is wrong refuses the start; else it is left out
 */
public record DefinitionsSettings(Optional<Path> file, boolean skipIfUnchanged, boolean strict) {}
