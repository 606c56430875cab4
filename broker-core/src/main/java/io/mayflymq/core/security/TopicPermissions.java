package io.mayflymq.core.security;

import com.google.re2j.Pattern;
import java.util.Map;
import java.util.Objects;

/**
 * The routing keys that a user may publish with to one topic exchange and bind with to read from it
 * (rabbitmq.com/docs/access-control, "topic authorisation"). Without any for an exchange all keys
 * are allowed.
 *
 * <p>A pattern may contain variables in braces: {@code {username}}, {@code {vhost}}, {@code
 * {client_id}}. They stand for the literal value: RabbitMQ 3.13 inserts it as a piece of the
 * expression, by which a user named {@code .*} may write anything; later versions escape it, as
 * done here.
 *
 * @param write pattern for publishing
 * @param read pattern for binding
 */
public record TopicPermissions(String write, String read) {
  /**
   * The given patterns, which were taken before. One that cannot be compiled now allows nothing.
   */
  public TopicPermissions {
    Objects.requireNonNull(write, "write");
    Objects.requireNonNull(read, "read");
  }

  /**
   * The given patterns.
   *
   * @throws IllegalArgumentException if one is not a regular expression, or costs too much; the
   *     message says why
   */
  public static TopicPermissions of(String write, String read) {
    // A variable in braces is no expression until it is filled in, with whatever.
    NamePattern.of(withoutVariables(write));
    NamePattern.of(withoutVariables(read));
    return new TopicPermissions(write, read);
  }

  private static String withoutVariables(String pattern) {
    return pattern.replaceAll("\\{[a-z_]+\\}", "x");
  }

  /** Why a pattern allows nothing; null if both can be compiled. */
  public String problem() {
    String problem = NamePattern.kept(withoutVariables(write)).problem();
    return problem == null ? NamePattern.kept(withoutVariables(read)).problem() : problem;
  }

  String pattern(Permission permission) {
    return switch (permission) {
      case WRITE -> write;
      case READ -> read;
      case CONFIGURE -> throw new IllegalArgumentException("topics are written and read");
    };
  }

  /** The pattern for a permission with the variables filled in. */
  NamePattern expand(Permission permission, Map<String, String> variables) {
    String expanded = pattern(permission);
    if (expanded.indexOf('{') >= 0) {
      for (Map.Entry<String, String> variable : variables.entrySet()) {
        expanded =
            expanded.replace("{" + variable.getKey() + "}", Pattern.quote(variable.getValue()));
      }
    }
    return NamePattern.kept(expanded);
  }
}
