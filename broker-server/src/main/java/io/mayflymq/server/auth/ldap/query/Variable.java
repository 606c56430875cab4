package io.mayflymq.server.auth.ldap.query;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What stands in a text as <code>${name}</code>. Source: RabbitMQ 4.3. */
public enum Variable {
  /** The name that the user logs in with. */
  USERNAME,
  /** What is behind the backslash of a user name DOMAIN\USER of Active Directory. */
  AD_USER,
  /** What is before it. */
  AD_DOMAIN,
  /** The distinguished name of the user's entry. */
  USER_DN,
  VHOST,
  /** {@code queue}, {@code exchange} or {@code topic}. */
  RESOURCE,
  /** The name of the queue or exchange. */
  NAME,
  /** {@code configure}, {@code write} or {@code read}. */
  PERMISSION,
  ROUTING_KEY;

  /** Those of patterns of user names. */
  public static final Set<Variable> OF_PATTERNS = with(Set.of(), USERNAME, AD_USER, AD_DOMAIN);

  /** Those of queries for tags. */
  public static final Set<Variable> OF_TAGS = with(OF_PATTERNS, USER_DN);

  /** Those of the query for virtual hosts. */
  public static final Set<Variable> OF_VHOSTS = with(OF_TAGS, VHOST);

  /** Those of the query for queues and exchanges. */
  public static final Set<Variable> OF_RESOURCES = with(OF_VHOSTS, RESOURCE, NAME, PERMISSION);

  /** Those of the query for routing keys. */
  public static final Set<Variable> OF_TOPICS = with(OF_RESOURCES, ROUTING_KEY);

  private static Set<Variable> with(Set<Variable> some, Variable... more) {
    Set<Variable> all = EnumSet.copyOf(Stream.of(more).toList());
    all.addAll(some);
    return Collections.unmodifiableSet(all);
  }

  /** Returns its name in a text. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Variable> of(String word, Set<Variable> among) {
    return among.stream().filter(each -> each.word().equals(word)).findFirst();
  }

  /** Returns their names for an error. */
  static String words(Set<Variable> variables) {
    return variables.stream().map(Variable::word).collect(Collectors.joining(", "));
  }
}
