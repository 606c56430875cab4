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
 */
public record User(String name, PasswordHash passwordHash, List<String> tags) {
  public static final String ADMINISTRATOR = "administrator";

  /** May publish with another name in the {@code user_id} property. */
  public static final String IMPERSONATOR = "impersonator";

  public User {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(passwordHash, "passwordHash");
    tags = List.copyOf(tags);
  }

  public boolean hasTag(String tag) {
    return tags.contains(tag);
  }

  public User withPasswordHash(PasswordHash changed) {
    return new User(name, changed, tags);
  }

  public User withTags(List<String> changed) {
    return new User(name, passwordHash, changed);
  }
}
