package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.security.Limits;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A virtual host as it was added.
 *
 * @param name unique in the broker
 * @param description a text for users; may be empty
 * @param tags texts for users, kept in order
 * @param defaultQueueType the type of a queue that is declared without one; empty if the broker's
 *     default holds
 * @param dialect the rules of RabbitMQ that it follows; empty if the broker's dialect holds
 * @param limits of {@link Limits#OF_VHOSTS}
 * @param protectedFromDeletion whether it cannot be deleted until that is lifted
 */
public record VhostDefinition(
    String name,
    String description,
    List<String> tags,
    String defaultQueueType,
    Optional<Dialect> dialect,
    Limits limits,
    boolean protectedFromDeletion) {

  public VhostDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
    Objects.requireNonNull(defaultQueueType, "defaultQueueType");
    Objects.requireNonNull(dialect, "dialect");
    Objects.requireNonNull(limits, "limits");
    tags = List.copyOf(tags);
  }

  /** Returns a virtual host with a name and nothing else. */
  public static VhostDefinition of(String name) {
    return new VhostDefinition(name, "", List.of(), "", Optional.empty(), Limits.NONE, false);
  }

  public VhostDefinition withLimits(Limits changed) {
    return new VhostDefinition(
        name, description, tags, defaultQueueType, dialect, changed, protectedFromDeletion);
  }

  public VhostDefinition withDialect(Optional<Dialect> wanted) {
    return new VhostDefinition(
        name, description, tags, defaultQueueType, wanted, limits, protectedFromDeletion);
  }

  public VhostDefinition withProtection(boolean wanted) {
    return new VhostDefinition(name, description, tags, defaultQueueType, dialect, limits, wanted);
  }
}
