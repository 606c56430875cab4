package io.mayflymq.server.cluster.membership;

import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.config.ValueTypes;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The node whose cluster this one is to join at its next start, as {@code mayflyctl join_cluster}
 * says. It is in a file of the data directory until the node has joined.
 *
 * @param file that file
 */
public record JoinTarget(Path file) {
  private static final String NAME = "cluster.seed";

  /** Returns the seed of a data directory. */
  public static JoinTarget in(Path dataDir) {
    return new JoinTarget(dataDir.resolve(NAME));
  }

  /**
   * Notes which node it is.
   *
   * @throws IOException if the file cannot be written
   */
  public void set(NodeAddress node) throws IOException {
    OwnerFiles.write(
        file, "%s:%s".formatted(node.name(), node.address()).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the node; empty if there is none.
   *
   * @throws StartException if the file cannot be read, or names no node
   */
  Optional<NodeAddress> node() throws StartException {
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    try {
      String text = Files.readString(file).strip();
      Optional<NodeAddress> node = ValueTypes.nodeAddress().parser().apply(text);
      if (node.isEmpty()) {
        throw new StartException(
            "%s: '%s' names no node: delete the file, or name the node by join_cluster again"
                .formatted(file, text));
      }
      return node;
    } catch (IOException e) {
      throw new StartException("cannot read %s: %s".formatted(file, IoReason.of(e)), e);
    }
  }

  /**
   * The node has joined.
   *
   * @throws StartException if the file cannot be deleted
   */
  void clear() throws StartException {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new StartException("cannot delete %s: %s".formatted(file, IoReason.of(e)), e);
    }
  }
}
