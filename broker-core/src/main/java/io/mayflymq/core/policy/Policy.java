package io.mayflymq.core.policy;

import io.mayflymq.core.naming.NearestName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * A policy or operator policy: settings for all objects with matching names, in one virtual host or
 * in all that match another pattern. Immutable and valid.
 *
 * <p>Source: RabbitMQ, "Parameters and Policies", section "Policies"; the texts of errors are those
 * of 3.13.
 */
public final class Policy {
  private static final String PATTERN = "pattern";
  private static final String APPLY_TO = "apply-to";
  private static final String PRIORITY = "priority";
  private static final String DEFINITION = "definition";
  private static final String MERGE = "merge";
  private static final String VHOSTS = "vhosts";
  private static final Set<String> TERMS =
      Set.of("vhost", "name", PATTERN, APPLY_TO, PRIORITY, DEFINITION, MERGE, VHOSTS);

  private final PolicyKind kind;
  private final String name;
  private final PolicyPattern pattern;
  private final ApplyTo applyTo;
  private final int priority;
  private final PolicyDefinition definition;
  private final boolean merges;

  /** Null if it belongs to one virtual host. */
  private final PolicyPattern vhosts;

  private Policy(
      PolicyKind kind,
      String name,
      PolicyPattern pattern,
      ApplyTo applyTo,
      int priority,
      PolicyDefinition definition,
      boolean merges,
      PolicyPattern vhosts) {
    this.kind = kind;
    this.name = name;
    this.pattern = pattern;
    this.applyTo = applyTo;
    this.priority = priority;
    this.definition = definition;
    this.merges = merges;
    this.vhosts = vhosts;
  }

  /** Takes over what was parsed from a term without an error. */
  private Policy(Parser parsed) {
    this.kind = parsed.kind;
    this.name = parsed.name;
    this.pattern = parsed.pattern;
    this.applyTo = parsed.applyTo;
    this.priority = parsed.priority;
    this.definition = parsed.definition;
    this.merges = parsed.merges;
    this.vhosts = parsed.vhosts;
  }

  /**
   * Creates a policy from its parts.
   *
   * @param name unique among the policies of its kind and virtual host, 255 bytes at most
   * @param pattern a regular expression, searched for anywhere in a name; 1,024 bytes at most
   * @param applyTo {@code all}, {@code queues}, {@code classic_queues}, {@code quorum_queues},
   *     {@code streams} or {@code exchanges}
   * @param priority of all policies that match an object, the one with the highest priority applies
   * @param definition as parsed from JSON
   * @throws PolicyException if something is not valid
   */
  public static Policy of(
      PolicyKind kind,
      String name,
      String pattern,
      String applyTo,
      int priority,
      Map<String, ?> definition) {
    return parse(kind, name, term(pattern, applyTo, priority, definition));
  }

  private static Map<String, Object> term(
      String pattern, String applyTo, int priority, Map<String, ?> definition) {
    return Map.of(PATTERN, pattern, APPLY_TO, applyTo, PRIORITY, priority, DEFINITION, definition);
  }

  /**
   * Creates a policy from a stored definition, which may come from a version without a limit for
   * the size of a pattern: a policy that exceeds the limit exists, but applies to nothing ({@link
   * #problem}).
   *
   * @throws PolicyException if something else is not valid
   */
  public static Policy kept(
      PolicyKind kind,
      String name,
      String pattern,
      String applyTo,
      int priority,
      Map<String, ?> definition) {
    return new Parser(kind, name, term(pattern, applyTo, priority, definition), PolicyPattern::kept)
        .policy();
  }

  /**
   * Creates a policy from the JSON of the HTTP API or a definition file.
   *
   * @param term as parsed from JSON: {@code pattern}, {@code definition}, and optionally {@code
   *     priority} (0), {@code apply-to} ({@code all}), {@code merge} (false) and {@code vhosts}
   *     (one virtual host); {@code vhost} and {@code name} are ignored
   * @throws PolicyException if something is not valid; lists everything that is wrong
   */
  public static Policy parse(PolicyKind kind, String name, Map<String, ?> term) {
    return new Parser(kind, name, term, PolicyPattern::of).policy();
  }

  /** Returns whether it is a policy or an operator policy. */
  public PolicyKind kind() {
    return kind;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** Its pattern as it was written. */
  public String pattern() {
    return pattern.source();
  }

  /** Returns the size of its pattern, with all repetitions expanded. */
  public long patternSize() {
    return pattern.compiled().size();
  }

  /** Returns why it applies to no name at all; null if it can apply. */
  public String problem() {
    String ofNames = pattern.compiled().problem();
    return ofNames == null && vhosts != null ? vhosts.compiled().problem() : ofNames;
  }

  /** Returns which kinds of object it is for. */
  public ApplyTo applyTo() {
    return applyTo;
  }

  /** Its priority. */
  public int priority() {
    return priority;
  }

  /** Returns what it sets. */
  public PolicyDefinition definition() {
    return definition;
  }

  /**
   * Returns whether it adds its keys to those of the policy that would apply without it, which may
   * add its own to those of the next, and so on. Else only its own keys count.
   */
  public boolean merges() {
    return merges;
  }

  /** Returns the same with another value of {@link #merges}. */
  public Policy merging(boolean merging) {
    return merging == merges
        ? this
        : new Policy(kind, name, pattern, applyTo, priority, definition, merging, vhosts);
  }

  /**
   * Returns the same for all virtual hosts in whose names a pattern is found, whenever they come.
   *
   * @param vhostPattern a regular expression, 1,024 bytes at most; the empty one is for all
   * @throws PolicyException if it is not a regular expression, or too large
   */
  public Policy forVhosts(String vhostPattern) {
    return with(vhostPattern(vhostPattern, PolicyPattern::of));
  }

  /** Returns the same for a stored pattern of virtual hosts: one of no use matches none. */
  public Policy keptForVhosts(String vhostPattern) {
    return with(PolicyPattern.kept(vhostPattern));
  }

  /** Returns the same as the policy of one virtual host. */
  public Policy ofOneVhost() {
    return with((PolicyPattern) null);
  }

  private Policy with(PolicyPattern changed) {
    return new Policy(kind, name, pattern, applyTo, priority, definition, merges, changed);
  }

  private static PolicyPattern vhostPattern(
      String source, Function<String, PolicyPattern> compiler) {
    try {
      return compiler.apply(source);
    } catch (PolicyException e) {
      throw new PolicyException("vhosts: " + e.getMessage());
    }
  }

  /** Returns whether it is for many virtual hosts; else it belongs to one. */
  public boolean isForVhosts() {
    return vhosts != null;
  }

  /** Returns the pattern of the virtual hosts that it is for; null if it belongs to one. */
  public String vhosts() {
    return vhosts == null ? null : vhosts.source();
  }

  /** Returns whether a policy for many virtual hosts is for the one of this name. */
  public boolean isForVhost(String vhost) {
    return vhosts != null && vhosts.isFoundIn(vhost);
  }

  /** Returns the size of its pattern of virtual hosts, with all repetitions expanded. */
  public long vhostsSize() {
    return vhosts == null ? 0 : vhosts.compiled().size();
  }

  /** Whether its pattern matches somewhere in a name. */
  boolean isFoundIn(String objectName) {
    return pattern.isFoundIn(objectName);
  }

  /** Returns whether it is for an object, whatever others are for it too. */
  public boolean matches(PolicySubject subject) {
    return applyTo.covers(subject) && isSupportedBy(subject) && isFoundIn(subject.name());
  }

  private boolean isSupportedBy(PolicySubject subject) {
    return subject.isExchange()
        || definition.keys().stream().allMatch(key -> isSupportedBy(subject, key));
  }

  /** Returns the keys because of which it does not apply to a queue of this type. */
  List<PolicyKey> unsupportedKeys(PolicySubject subject) {
    return subject.isExchange()
        ? List.of()
        : definition.keys().stream().filter(key -> !isSupportedBy(subject, key)).toList();
  }

  private boolean isSupportedBy(PolicySubject subject, PolicyKey key) {
    return key.isSupportedBy(subject.type()) || isExtendedTo(subject, key);
  }

  /**
   * In RabbitMQ a policy with a delivery limit does not apply to classic queues at all. In this
   * broker classic queues support the limit, but only by policies for classic queues alone: other
   * policies must apply to the same queues as in RabbitMQ.
   */
  private boolean isExtendedTo(PolicySubject subject, PolicyKey key) {
    return key == PolicyKey.DELIVERY_LIMIT
        && applyTo == ApplyTo.CLASSIC_QUEUES
        && subject.type() == QueueType.CLASSIC;
  }

  /** Returns it in the form of the HTTP API and of definition files. */
  public Map<String, Object> toMap(String vhost) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("vhost", vhost);
    map.put("name", name);
    map.put(PATTERN, pattern());
    map.put(APPLY_TO, applyTo.wireName());
    map.put(DEFINITION, definition.toMap());
    map.put(PRIORITY, priority);
    if (merges) {
      map.put(MERGE, true);
    }
    if (vhosts != null) {
      map.put(VHOSTS, vhosts());
    }
    return map;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Policy that
        && kind == that.kind
        && name.equals(that.name)
        && pattern.equals(that.pattern)
        && applyTo == that.applyTo
        && priority == that.priority
        && merges == that.merges
        && Objects.equals(vhosts(), that.vhosts())
        && definition.equals(that.definition);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return vhosts == null
        ? "%s '%s'".formatted(kind.inWords(), name)
        : "%s '%s' for virtual hosts '%s'".formatted(kind.inWords(), name, vhosts());
  }

  /** Parses a term and collects the errors, in RabbitMQ's order. */
  private static final class Parser {
    private final PolicyKind kind;
    private final String name;
    private final Map<String, ?> term;
    private final Function<String, PolicyPattern> compiler;
    private final List<String> errors = new ArrayList<>();
    private final List<String> explanations = new ArrayList<>();

    private PolicyDefinition definition;
    private ApplyTo applyTo;
    private PolicyPattern pattern;
    private int priority;
    private boolean merges;
    private PolicyPattern vhosts;

    Parser(
        PolicyKind kind,
        String name,
        Map<String, ?> term,
        Function<String, PolicyPattern> compiler) {
      this.kind = kind;
      this.name = name;
      this.term = term;
      this.compiler = compiler;
    }

    Policy policy() {
      Map<String, Object> unknown = new LinkedHashMap<>(term);
      unknown.keySet().removeAll(TERMS);
      if (!unknown.isEmpty()) {
        errors.add("Unrecognised terms %s in %s".formatted(ErlangTerm.pairs(unknown), name));
      }
      if (ValueValidator.utf8Length(name) > ValueValidator.MAX_NAME_BYTES) {
        errors.add("policy name must not exceed %d bytes".formatted(ValueValidator.MAX_NAME_BYTES));
      }
      definition = definition();
      applyTo = applyTo();
      pattern = pattern();
      priority = priority();
      merges = isMerging();
      vhosts = vhosts();
      if (!errors.isEmpty()) {
        throw new PolicyException(String.join("\n", errors), explanations);
      }
      return new Policy(this);
    }

    private PolicyDefinition definition() {
      Object value = term.get(DEFINITION);
      if (!term.containsKey(DEFINITION)) {
        errors.add(missing(DEFINITION));
        return null;
      }
      if (!(value instanceof Map<?, ?> map)) {
        errors.add(
            "parse error while reading policy definition: %s. Validator: %s_validator."
                .formatted(ErlangTerm.of(value), kind.component()));
        return null;
      }
      Map<String, Object> definition = new LinkedHashMap<>();
      map.forEach((key, setting) -> definition.put(String.valueOf(key), setting));
      try {
        PolicyDefinition valid = PolicyDefinition.of(kind, definition);
        if (valid.get(PolicyKey.FEDERATION_UPSTREAM_PATTERN) instanceof String pattern) {
          upstreams(pattern);
        }
        return valid;
      } catch (PolicyException e) {
        errors.add(e.getMessage());
        explanations.addAll(e.explanations());
        return null;
      }
    }

    /** A stored one that is no regular expression selects no upstream. With RabbitMQ's text. */
    private PolicyPattern upstreams(String pattern) {
      try {
        return compiler.apply(pattern);
      } catch (PolicyException e) {
        throw new PolicyException(
            "could not compile pattern %s to a regular expression. Error: %s"
                .formatted(pattern, e.getMessage().replace(PolicyPattern.INVALID, "")));
      }
    }

    private ApplyTo applyTo() {
      Object value = term.get(APPLY_TO);
      if (!term.containsKey(APPLY_TO)) {
        return ApplyTo.ALL;
      }
      ApplyTo known = value instanceof String text ? ApplyTo.ofWireName(text).orElse(null) : null;
      if (known == null) {
        errors.add(
            ("apply-to '%s' unrecognised; should be one of: 'queues', 'classic_queues', "
                    + " 'quorum_queues', 'streams', 'exchanges', or 'all'")
                .formatted(value instanceof String ? value : ErlangTerm.of(value)));
        NearestName.of(String.valueOf(value), ApplyTo.wireNames())
            .ifPresent(name -> explanations.add("apply-to: did you mean '%s'?".formatted(name)));
      }
      return known;
    }

    private PolicyPattern pattern() {
      Object value = term.get(PATTERN);
      if (!term.containsKey(PATTERN)) {
        errors.add(missing(PATTERN));
        return null;
      }
      if (!(value instanceof String source)) {
        errors.add("pattern should be a binary but was " + ErlangTerm.of(value));
        return null;
      }
      try {
        return compiler.apply(source);
      } catch (PolicyException e) {
        errors.add(e.getMessage());
        return null;
      }
    }

    private int priority() {
      Object value = term.get(PRIORITY);
      if (!term.containsKey(PRIORITY)) {
        return 0;
      }
      if (!(value instanceof Number number)) {
        errors.add("priority should be a number, actually was " + ErlangTerm.of(value));
        return 0;
      }
      if (number.doubleValue() != number.intValue()) {
        errors.add(
            "priority should be a whole number from %d to %d, actually was %s"
                .formatted(Integer.MIN_VALUE, Integer.MAX_VALUE, ErlangTerm.of(value)));
      }
      return number.intValue();
    }

    private boolean isMerging() {
      Object value = term.get(MERGE);
      if (term.containsKey(MERGE) && !(value instanceof Boolean)) {
        errors.add("merge should be a boolean, actually was " + ErlangTerm.of(value));
      }
      return Boolean.TRUE.equals(value);
    }

    private PolicyPattern vhosts() {
      Object value = term.get(VHOSTS);
      if (!term.containsKey(VHOSTS)) {
        return null;
      }
      if (!(value instanceof String source)) {
        errors.add(
            "vhosts should be a regular expression for names of virtual hosts, actually was "
                + ErlangTerm.of(value));
        return null;
      }
      try {
        return vhostPattern(source, compiler);
      } catch (PolicyException e) {
        errors.add(e.getMessage());
        return null;
      }
    }

    private String missing(String key) {
      return "Key \"%s\" not found in %s".formatted(key, name);
    }
  }
}
