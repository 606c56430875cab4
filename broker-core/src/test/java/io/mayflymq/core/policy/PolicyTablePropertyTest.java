package io.mayflymq.core.policy;

import static net.jqwik.api.Arbitraries.frequencyOf;
import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.just;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class PolicyTablePropertyTest {
  private static final List<String> QUEUES = List.of("a", "ab", "abc", "b", "");
  private static final List<String> KEYS =
      List.of("message-ttl", "expires", "max-length", "max-length-bytes", "overflow");
  private static final Set<String> WORDS =
      Set.of("dead-letter-exchange", "dead-letter-routing-key");

  private static final List<String> VHOSTS = List.of("tenant-a", "tenant-b", "other");

  /**
   * A policy is set, or cleared: of a virtual host, or of many. Or a virtual host comes or goes.
   *
   * @param policy null if it is a virtual host that changes
   */
  record Change(NaivePolicies.Given policy, String vhost, boolean cleared) {}

  /** A virtual host, in the model and in fact. */
  private static final class Vhost {
    final NaivePolicies model = new NaivePolicies();
    PolicyTable table;

    Vhost(PolicyTable table) {
      this.table = table;
    }
  }

  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void policyThatAppliesIsThatOfTheModel(
      @ForAll("changes") List<Change> changes, @ForAll("arguments") Map<String, Object> arguments) {
    NaivePolicies many = new NaivePolicies();
    Map<NaivePolicies.Given, Policy> forVhosts = new LinkedHashMap<>();
    Map<String, Vhost> vhosts = new TreeMap<>();
    vhosts.put(VHOSTS.get(0), new Vhost(PolicyTable.EMPTY));
    for (Change change : changes) {
      NaivePolicies.Given given = change.policy;
      Vhost vhost = vhosts.get(change.vhost);
      if (given == null) {
        if (vhosts.remove(change.vhost) == null) {
          vhosts.put(
              change.vhost,
              new Vhost(
                  PolicyTable.EMPTY.withPoliciesForVhosts(
                      those(forVhosts.values(), change.vhost))));
        }
      } else if (given.vhosts() != null) {
        forVhosts
            .keySet()
            .removeIf(each -> each.kind() == given.kind() && each.name().equals(given.name()));
        many.clear(given.kind(), given.name(), true);
        if (!change.cleared) {
          many.set(given);
          forVhosts.put(given, policy(given));
        }
        vhosts.forEach(
            (name, each) ->
                each.table = each.table.withPoliciesForVhosts(those(forVhosts.values(), name)));
      } else if (vhost != null && change.cleared) {
        assertThat(vhost.table.policy(given.kind(), given.name()) != null)
            .isEqualTo(vhost.model.clear(given.kind(), given.name(), false));
        vhost.table = vhost.table.without(given.kind(), given.name());
      } else if (vhost != null) {
        vhost.model.set(given);
        vhost.table = vhost.table.with(policy(given));
      }
      vhosts.forEach(
          (name, each) -> {
            NaivePolicies model = NaivePolicies.of(each.model, many, name);
            for (String queue : QUEUES) {
              compare(model, each.table, queue, arguments);
            }
          });
    }
  }

  private static List<Policy> those(Collection<Policy> all, String vhost) {
    return all.stream().filter(policy -> policy.isForVhost(vhost)).toList();
  }

  private static void compare(
      NaivePolicies model, PolicyTable table, String queue, Map<String, Object> arguments) {
    FieldTable given = table(arguments);
    PolicySubject subject = PolicySubject.queue(QueueType.CLASSIC, queue);
    EffectiveSettings explained = table.explain(subject, given);
    for (PolicyKind kind : PolicyKind.values()) {
      NaivePolicies.Given applying = model.applying(kind, queue);
      Policy applied = table.applying(kind, subject);
      assertThat(applied == null ? null : applied.name())
          .isEqualTo(applying == null ? null : applying.name());
      assertThat(
              explained.candidates().stream()
                  .filter(candidate -> candidate.policy().kind() == kind)
                  .filter(c -> c.verdict() == PolicyCandidate.Verdict.APPLIES)
                  .map(candidate -> candidate.policy().name() + candidate.policy().vhosts()))
          .isEqualTo(applying == null ? List.of() : List.of(applying.name() + applying.vhosts()));
      assertThat(
              explained.candidates().stream()
                  .filter(candidate -> candidate.policy().kind() == kind)
                  .filter(c -> c.verdict() == PolicyCandidate.Verdict.ADDED_TO)
                  .map(candidate -> candidate.policy().name() + candidate.policy().vhosts()))
          .isEqualTo(
              model.layers(kind, queue).stream()
                  .skip(1)
                  .map(layer -> layer.name() + layer.vhosts())
                  .toList());
    }
    QueueSettings byArguments = QueueArguments.parse(given, queue, "/").settings();
    QueueSettings settings = table.settingsOf(queue, given, byArguments);
    assertThat(settings).isEqualTo(explained.toQueueSettings(byArguments));
    assertThat(settings.expiry().messageTtlMillis())
        .isEqualTo(number(model.value(queue, arguments, "message-ttl")));
    assertThat(settings.lease().expiresMillis())
        .isEqualTo(number(model.value(queue, arguments, "expires")));
    assertThat(settings.length().maxLength())
        .isEqualTo(number(model.value(queue, arguments, "max-length")));
    assertThat(settings.length().maxLengthBytes())
        .isEqualTo(number(model.value(queue, arguments, "max-length-bytes")));
    Object overflow = model.value(queue, arguments, "overflow");
    assertThat(settings.length().overflow().wireName())
        .isEqualTo(overflow == null ? "drop-head" : overflow);
    assertThat(settings.deadLetters().exchange())
        .isEqualTo(model.value(queue, arguments, "dead-letter-exchange"));
    assertThat(settings.deadLetters().routingKey())
        .isEqualTo(model.value(queue, arguments, "dead-letter-routing-key"));
  }

  private static long number(Object value) {
    return value == null ? QueueSettings.NONE : ((Number) value).longValue();
  }

  private static Policy policy(NaivePolicies.Given given) {
    Policy policy =
        Policy.of(
                given.kind(),
                given.name(),
                given.pattern(),
                given.applyTo(),
                given.priority(),
                given.definition())
            .merging(given.merges());
    return given.vhosts() == null ? policy : policy.forVhosts(given.vhosts());
  }

  private static FieldTable table(Map<String, Object> arguments) {
    FieldTable.Builder builder = FieldTable.builder();
    arguments.forEach(
        (key, value) ->
            builder.put(
                "x-" + key,
                value instanceof Number number
                    ? new FieldValue.Int64(number.longValue())
                    : FieldValue.of((String) value)));
    return builder.build();
  }

  @Provide
  Arbitrary<List<Change>> changes() {
    Arbitrary<NaivePolicies.Given> policy =
        Arbitraries.of(PolicyKind.values())
            .flatMap(
                kind ->
                    Combinators.combine(
                            Arbitraries.of("p", "q", "r", "s"),
                            vhostPatterns(),
                            Arbitraries.of("", "^a", "b$", "^ab?$", "c", "(?!a)b"),
                            frequencyOf(
                                Tuple.of(4, just("all")),
                                Tuple.of(1, Arbitraries.of("queues", "classic_queues")),
                                Tuple.of(
                                    1, Arbitraries.of("quorum_queues", "streams", "exchanges"))),
                            integers().between(-1, 1),
                            Arbitraries.of(false, true),
                            definition(kind))
                        .as(
                            (name, vhosts, pattern, applyTo, priority, merges, definition) ->
                                new NaivePolicies.Given(
                                    kind,
                                    name,
                                    vhosts.isEmpty() ? null : vhosts.get(0),
                                    pattern,
                                    applyTo,
                                    priority,
                                    merges,
                                    definition)));
    Arbitrary<String> vhost =
        frequencyOf(Tuple.of(3, just(VHOSTS.get(0))), Tuple.of(2, Arbitraries.of(VHOSTS)));
    Arbitrary<Change> changed =
        Combinators.combine(
                policy, vhost, frequencyOf(Tuple.of(4, just(false)), Tuple.of(1, just(true))))
            .as(Change::new);
    return frequencyOf(
            Tuple.of(8, changed), Tuple.of(1, vhost.map(name -> new Change(null, name, false))))
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  /** Half of the policies are for many virtual hosts. */
  private static Arbitrary<List<String>> vhostPatterns() {
    return frequencyOf(
        Tuple.of(3, just(List.of())),
        Tuple.of(3, Arbitraries.of("", "^tenant-", "b$", "r", "x").map(List::of)));
  }

  private static Arbitrary<Map<String, Object>> definition(PolicyKind kind) {
    Arbitrary<String> keys =
        kind == PolicyKind.POLICY
            ? frequencyOf(
                Tuple.of(6, Arbitraries.of(KEYS)),
                Tuple.of(2, Arbitraries.of(WORDS)),
                Tuple.of(1, foreign()))
            : frequencyOf(Tuple.of(9, Arbitraries.of(KEYS)), Tuple.of(1, foreign()));
    return settings(keys);
  }

  private static Arbitrary<String> foreign() {
    return Arbitraries.of("delivery-limit", "queue-version", "max-in-memory-length");
  }

  private static Arbitrary<Map<String, Object>> settings(Arbitrary<String> keys) {
    return keys.flatMap(key -> value(key).map(value -> Map.entry(key, value)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(
            entries -> {
              Map<String, Object> map = new HashMap<>();
              entries.forEach(entry -> map.put(entry.getKey(), entry.getValue()));
              return map;
            });
  }

  private static Arbitrary<Object> value(String key) {
    if (WORDS.contains(key)) {
      return Arbitraries.of("", "x", "y");
    }
    if (key.equals("overflow")) {
      return Arbitraries.of("drop-head", "reject-publish", "reject-publish-dlx");
    }
    return integers().between(1, key.equals("queue-version") ? 2 : 5).map(number -> number);
  }

  @Provide
  Arbitrary<Map<String, Object>> arguments() {
    return frequencyOf(
        Tuple.of(1, just(Map.<String, Object>of())),
        Tuple.of(
            3,
            settings(
                    frequencyOf(
                        Tuple.of(5, Arbitraries.of(KEYS)), Tuple.of(1, Arbitraries.of(WORDS))))
                .map(
                    arguments -> {
                      if (arguments.containsKey("dead-letter-routing-key")) {
                        arguments.putIfAbsent("dead-letter-exchange", "z");
                      }
                      return arguments;
                    })));
  }
}
