package io.mayflymq.server.config.settings;

import io.mayflymq.server.config.type.LogLevel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the log goes.
 *
 * @param console whether it goes to standard output
 * @param consoleLevel the least level shown there
 * @param file the file it goes to, absolute
 * @param fileLevel the least level written there
 * @param rotationBytes the size after which a new file is begun; 0 never does
 * @param rotationCount how many earlier files are kept
 */
public record LogSettings(
    boolean console,
    LogLevel consoleLevel,
    Optional<Path> file,
    LogLevel fileLevel,
    int rotationBytes,
    int rotationCount) {}
