package io.mayflymq.core.security;

import java.util.Objects;
import java.util.stream.Stream;

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

  /** Those that were taken before: a pattern that cannot be compiled now allows nothing. */
  public static Permissions kept(String configure, String write, String read) {
    return new Permissions(
        NamePattern.kept(configure), NamePattern.kept(write), NamePattern.kept(read));
  }

  /** Why a pattern allows nothing; null if all can be compiled. */
  public String problem() {
    return Stream.of(configure, write, read)
        .map(NamePattern::problem)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
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
