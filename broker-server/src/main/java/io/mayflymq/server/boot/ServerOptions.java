package io.mayflymq.server.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the command line says about the broker's configuration.
 *
 * @param config the file of {@code --config}
 * @param sets the arguments of {@code --set}, each {@code KEY=VALUE}, in their order
 * @param acceptsLoss whether the broker is to start although files of its data directory are
 *     missing or damaged
 */
record ServerOptions(Optional<Path> config, List<String> sets, boolean acceptsLoss) {}
