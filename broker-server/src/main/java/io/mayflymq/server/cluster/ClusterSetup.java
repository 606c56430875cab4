package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.server.cluster.consensus.ConsensusLimits;
import io.mayflymq.server.cluster.consensus.ConsensusSettings;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.ConsensusTimes;
import io.mayflymq.server.cluster.consensus.Member;
import io.mayflymq.server.cluster.membership.JoinTarget;
import io.mayflymq.server.cluster.transport.ClusterSecret;
import io.mayflymq.server.cluster.transport.TransportSettings;
import io.mayflymq.server.cluster.transport.TransportTimes;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.config.Secrets;
import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node of a cluster needs to start.
 *
 * @param settings its configuration, with a listener
 * @param nodeName its name
 * @param dataDir its data directory
 */
public record ClusterSetup(ClusterSettings settings, String nodeName, Path dataDir) {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterSetup.class);

  private static final String LOG_DIRECTORY = "cluster";
  private static final String JOINING_FILE = "cluster.joining";

  /**
   * Returns the file that is there from before a node joins until it has a vote. Without it a node
   * that has no replicated log has lost it, and how it has voted.
   */
  Path joiningFile() {
    return dataDir.resolve(JOINING_FILE);
  }

  /** Returns the node whose cluster this one was told to join. */
  JoinTarget seed() {
    return JoinTarget.in(dataDir);
  }

  /** Returns the files and directories of a data directory that make it that of a member. */
  public static List<Path> filesOf(Path dataDir) {
    return List.of(
        dataDir.resolve(LOG_DIRECTORY),
        dataDir.resolve(JOINING_FILE),
        JoinTarget.in(dataDir).file());
  }

  /** Returns whether a data directory has a part in the decisions of a cluster, or will have. */
  public static boolean isOfMember(Path dataDir) {
    return Files.exists(dataDir.resolve(LOG_DIRECTORY))
        || Files.exists(dataDir.resolve(JOINING_FILE));
  }

  /**
   * Returns what the replicated log needs.
   *
   * @param first the member with which the cluster began
   * @param self this node
   */
  ConsensusSettings consensus(ClusterMember first, ClusterMember self, StartMode mode) {
    return new ConsensusSettings(
        dataDir.resolve(LOG_DIRECTORY),
        first.directory(),
        new Member(self.directory(), self.name()),
        mode,
        ConsensusTimes.DEFAULT,
        ConsensusLimits.DEFAULT);
  }

  private ListenerSettings listener() {
    return settings.listener().orElseThrow();
  }

  /** Returns where other nodes reach this one: as they are told, or as it listens, or its host. */
  String address() {
    for (NodeAddress node : settings.formation().nodes()) {
      if (node.name().equals(nodeName)) {
        return node.address();
      }
    }
    String host = listener().host();
    boolean isOne = !host.isEmpty() && !host.equals("0.0.0.0") && !host.equals("::");
    String reached = isOne ? host : nodeName.substring(nodeName.indexOf('@') + 1);
    return new NodeAddress(nodeName, reached, listener().port()).address();
  }

  /**
   * Returns the settings of the connections to other nodes.
   *
   * @throws StartException if the secret cannot be read, or is refused
   */
  TransportSettings transport(UUID directory) throws StartException {
    Optional<TlsSettings> tls =
        settings.tls().certificate().isPresent() ? Optional.of(settings.tls()) : Optional.empty();
    String secret = secret();
    checkStrength(secret);
    return new TransportSettings(
        nodeName, directory, listener(), ClusterSecret.of(secret), tls, TransportTimes.USUAL);
  }

  private void checkStrength(String secret) throws StartException {
    if (Secrets.mayBeStrong(secret)) {
      return;
    }
    String key = settings.secret().isPresent() ? "cluster.secret" : "cluster.secret_file";
    String what =
        "%s has %d characters, which cannot hold %d random bytes: expected a secret as mayflyctl generate_secret makes it"
            .formatted(key, secret.length(), Secrets.BYTES);
    if (settings.requiresStrongSecret()) {
      throw new SettingsException(what + " (cluster.require_strong_secret = true)");
    }
    LOGGER.warn("{}; others who hear what nodes say can guess it", what);
  }

  private String secret() throws StartException {
    if (settings.secret().isPresent()) {
      return settings.secret().get();
    }
    Path file = settings.secretFile().orElseThrow();
    try (Stream<String> lines = Files.lines(file)) {
      String secret = lines.findFirst().orElse("").strip();
      if (secret.isEmpty()) {
        throw new SettingsException(
            "cluster.secret_file %s: expected the secret in its first line".formatted(file), null);
      }
      return secret;
    } catch (IOException e) {
      throw new SettingsException(
          "cluster.secret_file %s cannot be read: %s".formatted(file, IoReason.of(e)), e);
    }
  }
}
