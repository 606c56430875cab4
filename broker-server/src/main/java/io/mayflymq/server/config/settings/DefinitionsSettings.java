package io.mayflymq.server.config.settings;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is imported at each start.
 *
 * @param file a file with definitions or a directory of them
 * @param skipIfUnchanged whether to import nothing if they are the same as the last time
 */
public record DefinitionsSettings(Optional<Path> file, boolean skipIfUnchanged) {}
