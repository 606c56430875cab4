package io.mayflymq.core.policy;

import com.github.benmanes.caffeine.cache.Cache;
import io.mayflymq.core.runtime.BoundedCaches;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All policies and operator policies of a virtual host: its own, and those for many virtual hosts
 * that are for this one too. Immutable.
 *
 * <p>Of each kind the policy with the highest priority applies among those that match an object: it
 * is for that kind of object, has only keys that the object's type supports, and its pattern is
 * found in the name. Of several with the same priority those of the virtual host itself come before
 * those for many, and of these the first by name applies, where RabbitMQ leaves it open. If it
 * {@linkplain Policy#merges merges}, the next one applies too, as far as it has other keys.
 */
public final class PolicyTable {
  /**
   * The largest allowed size of all patterns of a virtual host together, with repetitions expanded:
   * whenever a queue or an exchange is declared, its name is matched against each of them. Those of
   * the policies for many virtual hosts together may be as large.
   */
  public static final long MAX_PATTERNS_SIZE = 200_000;

  /** No policies. */
  public static final PolicyTable EMPTY = of(Defaults.NONE);

  private static final Comparator<Policy> PRECEDENCE =
      Comparator.comparingInt(Policy::priority)
          .reversed()
          .thenComparing(Policy::isForVhosts)
          .thenComparing(Policy::name);

  /** In order of precedence. */
  private final Map<PolicyKind, List<Policy>> policies;

  private final Defaults defaults;
  private final long patternsSize;
  private final boolean pauses;
  private final boolean schedules;
  private final boolean toleratesMismatches;
  private final Cache<Applied, QueueSettings> recent = BoundedCaches.of(64);

  /**
   * Everything that determines the settings of a queue, besides the defaults: its name is only used
   * to find the policies.
   */
  private record Applied(
      AppliedPolicies policies, FieldTable arguments, QueueSettings byArguments) {}

  private PolicyTable(
      Map<PolicyKind, List<Policy>> policies, Defaults defaults, long patternsSize) {
    this.policies = policies;
    this.patternsSize = patternsSize;
    this.defaults = defaults;
    this.pauses = hasKey(PolicyKey.PAUSE);
    this.schedules = hasKey(PolicyKey.DELIVER_AT_HEADER);
    this.toleratesMismatches = hasKey(PolicyKey.ON_MISMATCH);
  }

  /** Whether a policy or a default sets it. */
  private boolean hasKey(PolicyKey key) {
    return defaults.values().containsKey(key)
        || policies.values().stream()
            .flatMap(List::stream)
            .anyMatch(policy -> policy.definition().get(key) != null);
  }

  /** Returns whether queues may be paused by them. */
  public boolean pauses() {
    return pauses;
  }

  /** Returns whether queues may have a header with a time to deliver by them. */
  public boolean schedules() {
    return schedules;
  }

  /** Creates a table without policies; these defaults count if arguments do not set a key. */
  public static PolicyTable of(Defaults defaults) {
    return new PolicyTable(new EnumMap<>(PolicyKind.class), defaults, 0);
  }

  /** Returns what counts if neither policies nor arguments set a key. */
  public Defaults defaults() {
    return defaults;
  }

  /** Returns the same policies with other defaults. */
  public PolicyTable with(Defaults changed) {
    return new PolicyTable(policies, changed, patternsSize);
  }

  /** Whether there are none of either kind. */
  public boolean isEmpty() {
    return policies.values().stream().allMatch(List::isEmpty);
  }

  /** Returns the policies of a kind, its own and those for many, in order of precedence. */
  public List<Policy> all(PolicyKind kind) {
    return ofKind(kind);
  }

  /** Returns the policies of a kind that are the virtual host's own, by name. */
  public Collection<Policy> policies(PolicyKind kind) {
    return byName(kind, false);
  }

  /** Returns the policies of a kind for many virtual hosts, by name. */
  public Collection<Policy> policiesForVhosts(PolicyKind kind) {
    return byName(kind, true);
  }

  private Collection<Policy> byName(PolicyKind kind, boolean forVhosts) {
    Map<String, Policy> byName = new TreeMap<>();
    ofKind(kind).stream()
        .filter(policy -> policy.isForVhosts() == forVhosts)
        .forEach(policy -> byName.put(policy.name(), policy));
    return byName.values();
  }

  /** Returns the virtual host's own policy of this name, or null. */
  public Policy policy(PolicyKind kind, String name) {
    return policy(kind, name, false);
  }

  private Policy policy(PolicyKind kind, String name, boolean forVhosts) {
    for (Policy policy : ofKind(kind)) {
      if (policy.name().equals(name) && policy.isForVhosts() == forVhosts) {
        return policy;
      }
    }
    return null;
  }

  /**
   * Returns this table with a policy, which replaces the one with the same kind and name that is
   * the virtual host's own, or for many virtual hosts, as this one is.
   */
  public PolicyTable with(Policy policy) {
    List<Policy> changed = allBut(policy.kind(), policy.name(), policy.isForVhosts());
    int at = Collections.binarySearch(changed, policy, PRECEDENCE);
    changed.add(at < 0 ? -1 - at : at, policy);
    return with(
        policy.kind(),
        changed,
        policy.isForVhosts()
            ? patternsSize
            : patternsSizeWithout(policy.kind(), policy.name()) + policy.patternSize());
  }

  /** Returns this table without one of the virtual host's own policies. */
  public PolicyTable without(PolicyKind kind, String name) {
    return with(kind, allBut(kind, name, false), patternsSizeWithout(kind, name));
  }

  /** Returns this table without a policy for many virtual hosts. */
  public PolicyTable withoutForVhosts(PolicyKind kind, String name) {
    return with(kind, allBut(kind, name, true), patternsSize);
  }

  /**
   * Returns this table with other policies for many virtual hosts; the virtual host's own stay.
   *
   * @param changed those that are for this virtual host
   */
  public PolicyTable withPoliciesForVhosts(Collection<Policy> changed) {
    Map<PolicyKind, List<Policy>> all = new EnumMap<>(PolicyKind.class);
    boolean isSame = true;
    for (PolicyKind kind : PolicyKind.values()) {
      List<Policy> present = new ArrayList<>(ofKind(kind));
      present.removeIf(Policy::isForVhosts);
      changed.stream().filter(policy -> policy.kind() == kind).forEach(present::add);
      present.sort(PRECEDENCE);
      isSame &= present.equals(ofKind(kind));
      all.put(kind, List.copyOf(present));
    }
    return isSame ? this : new PolicyTable(all, defaults, patternsSize);
  }

  /**
   * Returns the size of the patterns of all its own policies together; see {@link
   * #MAX_PATTERNS_SIZE}.
   */
  public long patternsSize() {
    return patternsSize;
  }

  private long patternsSizeWithout(PolicyKind kind, String name) {
    Policy old = policy(kind, name);
    return patternsSize - (old == null ? 0 : old.patternSize());
  }

  private record Named(PolicyKind kind, String name) {}

  /**
   * Returns the size of the patterns of all its own policies together with these added, the last of
   * each name.
   */
  public long patternsSizeWith(Collection<Policy> added) {
    Map<Named, Policy> latest = new HashMap<>();
    added.forEach(policy -> latest.put(new Named(policy.kind(), policy.name()), policy));
    long size = latest.values().stream().mapToLong(Policy::patternSize).sum();
    for (List<Policy> present : policies.values()) {
      for (Policy policy : present) {
        boolean counts =
            !policy.isForVhosts() && !latest.containsKey(new Named(policy.kind(), policy.name()));
        size += counts ? policy.patternSize() : 0;
      }
    }
    return size;
  }

  /**
   * Checks that these policies may be added.
   *
   * @param vhost for the error
   * @throws PolicyException if the patterns of all policies together would be too large, and larger
   *     than they are now
   */
  public void requireRoomFor(Collection<Policy> added, String vhost) {
    long size = patternsSizeWith(added);
    if (size > MAX_PATTERNS_SIZE && size > patternsSize) {
      throw new PolicyException(
          "the patterns of all policies in vhost '%s' would be too large: with repetitions written out they would have %d characters, of which %d are allowed"
              .formatted(vhost, size, MAX_PATTERNS_SIZE));
    }
  }

  private PolicyTable with(PolicyKind kind, List<Policy> changed, long changedSize) {
    Map<PolicyKind, List<Policy>> all = new EnumMap<>(PolicyKind.class);
    all.putAll(policies);
    all.put(kind, List.copyOf(changed));
    return new PolicyTable(all, defaults, changedSize);
  }

  private List<Policy> allBut(PolicyKind kind, String name, boolean forVhosts) {
    List<Policy> others = new ArrayList<>(ofKind(kind));
    others.removeIf(policy -> policy.name().equals(name) && policy.isForVhosts() == forVhosts);
    return others;
  }

  private List<Policy> ofKind(PolicyKind kind) {
    return policies.getOrDefault(kind, List.of());
  }

  /** Returns the policy of a kind that applies to an object, before all others, or null. */
  public Policy applying(PolicyKind kind, PolicySubject subject) {
    for (Policy policy : ofKind(kind)) {
      if (policy.matches(subject)) {
        return policy;
      }
    }
    return null;
  }

  /** Returns the policies of a kind whose keys count for an object, in order of precedence. */
  public List<Policy> layers(PolicyKind kind, PolicySubject subject) {
    List<Policy> layers = null;
    for (Policy policy : ofKind(kind)) {
      if (policy.matches(subject)) {
        if (layers == null && !policy.merges()) {
          return List.of(policy);
        }
        layers = layers == null ? new ArrayList<>() : layers;
        layers.add(policy);
        if (!policy.merges()) {
          break;
        }
      }
    }
    return layers == null ? List.of() : List.copyOf(layers);
  }

  private AppliedPolicies applying(PolicySubject subject) {
    return new AppliedPolicies(
        layers(PolicyKind.POLICY, subject), layers(PolicyKind.OPERATOR_POLICY, subject));
  }

  /**
   * Returns the effective settings of a queue: its arguments, merged with the policies that apply.
   *
   * @param arguments valid arguments of the declaration
   * @param byArguments the settings that follow from the arguments alone
   */
  public QueueSettings settingsOf(String queue, FieldTable arguments, QueueSettings byArguments) {
    PolicySubject subject = PolicySubject.queue(byArguments.type(), queue);
    AppliedPolicies policies = applying(subject);
    return policies.equals(AppliedPolicies.NONE) && defaults.sayNothing()
        ? byArguments
        : recent.get(new Applied(policies, arguments, byArguments), this::settings);
  }

  private QueueSettings settings(Applied to) {
    PolicySubject any = PolicySubject.queue(to.byArguments.type(), "");
    return new EffectiveSettings(any, to.policies, to.arguments, defaults, List.of())
        .toQueueSettings(to.byArguments);
  }

  /** Returns what happens when a queue of this type and name is declared again otherwise. */
  public OnMismatch onMismatch(QueueType type, String queue) {
    return toleratesMismatches
        ? OnMismatch.of(
            byPolicies(PolicySubject.queue(type, queue))
                .value(PolicyKey.ON_MISMATCH)
                .map(EffectiveValue::value)
                .orElse(defaults.values().get(PolicyKey.ON_MISMATCH)))
        : OnMismatch.REFUSING;
  }

  /** Returns the alternate exchange of an exchange, or null. */
  public String alternateExchangeOf(String exchange, FieldTable arguments) {
    return ofExchange(exchange, arguments).text(PolicyKey.ALTERNATE_EXCHANGE);
  }

  /** Returns how long an exchange may stay unused, in ms, or {@link QueueSettings#NONE}. */
  public long exchangeExpiresOf(String exchange, FieldTable arguments) {
    return ofExchange(exchange, arguments).number(PolicyKey.EXCHANGE_EXPIRES);
  }

  /**
   * Returns how long bindings from an exchange may stay unused, in ms, or {@link
   * QueueSettings#NONE}.
   */
  public long bindingExpiresOf(String exchange, FieldTable arguments) {
    return ofExchange(exchange, arguments).number(PolicyKey.BINDING_EXPIRES);
  }

  private EffectiveSettings ofExchange(String exchange, FieldTable arguments) {
    PolicySubject subject = PolicySubject.exchange(exchange);
    AppliedPolicies policies = new AppliedPolicies(layers(PolicyKind.POLICY, subject), List.of());
    return new EffectiveSettings(subject, policies, arguments, defaults, List.of());
  }

  /**
   * Returns the effective settings of an object by policies alone, without the policies that do not
   * apply: cheap enough for lists.
   */
  public EffectiveSettings byPolicies(PolicySubject subject) {
    return new EffectiveSettings(
        subject, applying(subject), FieldTable.EMPTY, Defaults.NONE, List.of());
  }

  /** Returns the effective settings of an object with their origins, without the candidates. */
  public EffectiveSettings effective(PolicySubject subject, FieldTable arguments) {
    return new EffectiveSettings(subject, applying(subject), arguments, defaults, List.of());
  }

  /** Returns the effective settings of an object with their origins and all candidates. */
  public EffectiveSettings explain(PolicySubject subject, FieldTable arguments) {
    AppliedPolicies policies = applying(subject);
    List<PolicyCandidate> candidates = new ArrayList<>();
    for (Policy candidate : ofKind(PolicyKind.POLICY)) {
      candidates.add(PolicyCandidate.of(candidate, subject, policies.policies()));
    }
    for (Policy candidate : ofKind(PolicyKind.OPERATOR_POLICY)) {
      candidates.add(PolicyCandidate.of(candidate, subject, policies.operatorPolicies()));
    }
    return new EffectiveSettings(subject, policies, arguments, defaults, List.copyOf(candidates));
  }
}
