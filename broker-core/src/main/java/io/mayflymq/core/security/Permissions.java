package io.mayflymq.core.security;

import java.util.Objects;

/** The names that a user may configure, write to and read from in one virtual host. */
public record Permissions(NamePattern configure, NamePattern write, NamePattern read) {
  /** Everything, as the default user has. */
  public static final Permissions ALL = of(".*", ".*", ".*");

  public Permissions {
    Objects.requireNonNull(configure, "configure");
    Objects.requireNonNull(write, "write");
    Objects.requireNonNull(read, "read");
  }

  /**
   * The permissions of three patterns.
   *
   * @throws IllegalArgumentException if one is not a regular expression; the message says why
   */
  public static Permissions of(String configure, String write, String read) {
    return new Permissions(NamePattern.of(configure), NamePattern.of(write), NamePattern.of(read));
  }

  /** Whether they allow this for a queue or exchange of that name. */
  public boolean allow(Permission permission, String name) {
    return switch (permission) {
      case CONFIGURE -> configure.matches(name);
      case WRITE -> write.matches(name);
      case READ -> read.matches(name);
    };
  }
}
