package io.mayflymq.core.security;

import java.util.List;
import java.util.Objects;

/**
 * A user of the broker.
 *
 * @param name unique in the broker
 * @param passwordHash what the password is checked against
 * @param tags what the user may do with the management API ({@code administrator}, {@code
 *     monitoring}, {@code policymaker}, {@code management}), and {@code impersonator}; any other
 *     tag is kept and means nothing
 * @param limits of {@link Limits#OF_USERS}
 */
public record User(String name, PasswordHash passwordHash, List<String> tags, Limits limits) {
  public static final String ADMINISTRATOR = "administrator";

  /** May see all virtual hosts, with their connections and queues. */
  public static final String MONITORING = "monitoring";

  /** May publish with another name in the {@code user_id} property. */
  public static final String IMPERSONATOR = "impersonator";

  public User {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(passwordHash, "passwordHash");
    Objects.requireNonNull(limits, "limits");
    tags = List.copyOf(tags);
  }

  /** A user without limits. */
  public User(String name, PasswordHash passwordHash, List<String> tags) {
    this(name, passwordHash, tags, Limits.NONE);
  }

  public boolean hasTag(String tag) {
    return tags.contains(tag);
  }

  /** Whether the user may see what happens in all virtual hosts. */
  public boolean isMonitor() {
    return hasTag(ADMINISTRATOR) || hasTag(MONITORING);
  }

  public User withPasswordHash(PasswordHash changed) {
    return new User(name, changed, tags, limits);
  }

  public User withTags(List<String> changed) {
    return new User(name, passwordHash, changed, limits);
  }

  public User withLimits(Limits changed) {
    return new User(name, passwordHash, tags, changed);
  }
}
