package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Random declarations of a queue that exists, with random rules for what differs: refused, kept or
 * adopted as a naive model says, and so after a restart.
 */
class RedeclarationModelTest {
  private static final String QUEUE = "q";
  private static final String OTHERS = "*";
  private static final String AUTO_DELETE = "auto_delete";
  private static final String OWN = "x-delivery-rate";
  private static final String PRIORITY = "x-max-priority";

  /** Those that RabbitMQ has, and those that can be adopted. */
  private static final List<String> ADOPTABLE =
      List.of("x-message-ttl", "x-max-length", "x-overflow", OWN);

  /** What happens: exactly one is set. */
  record Step(Declared declared, Map<String, String> rules, boolean restart) {}

  record Declared(Map<String, Object> arguments, boolean autoDelete) {}

  /** What there is, and what becomes of it. */
  private static final class Model {
    private Map<String, Object> arguments = Map.of();
    private Map<String, String> rules = Map.of();

    /** Returns whether the declaration succeeds. */
    boolean declare(Declared declared) {
      Map<String, Object> next = new TreeMap<>(arguments);
      boolean refused = declared.autoDelete && !rule(AUTO_DELETE).equals("keep");
      for (String name : List.of("x-message-ttl", "x-max-length", "x-overflow", OWN, PRIORITY)) {
        Object wanted = declared.arguments.get(name);
        boolean counts = !name.equals(OWN) || rules.containsKey(OWN) || !rule(OWN).equals("refuse");
        if (!counts || (wanted == null ? !next.containsKey(name) : wanted.equals(next.get(name)))) {
          continue;
        }
        refused |= rule(name).equals("refuse");
        if (rule(name).equals("adopt")) {
          if (wanted == null) {
            next.remove(name);
          } else {
            next.put(name, wanted);
          }
        }
      }
      if (!refused) {
        arguments = next;
      }
      return !refused;
    }

    private String rule(String name) {
      String rule = rules.getOrDefault(name, rules.getOrDefault(OTHERS, "refuse"));
      return rule.equals("adopt") && !ADOPTABLE.contains(name) ? "refuse" : rule;
    }
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void declarationsAreRefusedKeptOrAdoptedAsTheModelSays(@ForAll("steps") List<Step> steps) {
    Model model = new Model();
    TestBroker broker = TestBroker.of(1);
    broker.declare(QUEUE);
    for (Step step : steps) {
      if (step.restart) {
        broker = broker.afterKill();
      } else if (step.declared != null) {
        CompletableFuture<DeclaredQueue> answer = declare(broker, step.declared);
        broker.trimMemory();
        assertThat(succeeds(answer)).as("%s", step).isEqualTo(model.declare(step.declared));
      } else {
        model.rules = step.rules;
        CompletableFuture<?> changed =
            step.rules.isEmpty()
                ? broker.vhost.policies().clear(PolicyKind.POLICY, "p")
                : broker
                    .vhost
                    .policies()
                    .set(
                        Policy.of(
                            PolicyKind.POLICY,
                            "p",
                            "",
                            "all",
                            0,
                            Map.of("on-mismatch", step.rules)));
        broker.trimMemory();
        changed.join();
      }
      assertThat(broker.queue(QUEUE).definition().arguments()).isEqualTo(table(model.arguments));
      assertThat(broker.queue(QUEUE).settings().expiry().messageTtlMillis())
          .isEqualTo(((Number) model.arguments.getOrDefault("x-message-ttl", -1L)).longValue());
    }
  }

  private static CompletableFuture<DeclaredQueue> declare(TestBroker broker, Declared declared) {
    try {
      return broker.vhost.declareQueue(
          new QueueDeclaration(
              QUEUE,
              true,
              false,
              declared.autoDelete,
              table(declared.arguments),
              broker,
              broker.shards.get(0),
              false,
              true));
    } catch (ChannelException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean succeeds(CompletableFuture<DeclaredQueue> answer) {
    return answer
        .handle(
            (ok, failure) -> {
              if (failure != null) {
                assertThat(Causes.of(failure)).isInstanceOf(ChannelException.class);
                assertThat(Causes.of(failure).getMessage()).contains("inequivalent arg");
              }
              return failure == null;
            })
        .getNow(null);
  }

  private static FieldTable table(Map<String, Object> arguments) {
    FieldTable.Builder builder = FieldTable.builder();
    new TreeMap<>(arguments)
        .forEach(
            (name, value) ->
                builder.put(
                    name,
                    value instanceof Long number
                        ? new FieldValue.Int64(number)
                        : FieldValue.of((String) value)));
    return builder.build();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> declared =
        Combinators.combine(arguments(), Arbitraries.of(false, false, false, true))
            .as(Declared::new)
            .map(each -> new Step(each, null, false));
    Arbitrary<Step> rules =
        Arbitraries.maps(
                Arbitraries.of("x-message-ttl", "x-max-length", OWN, PRIORITY, OTHERS, OTHERS),
                Arbitraries.of("refuse", "keep", "adopt"))
            .ofMaxSize(3)
            .map(
                map -> {
                  Map<String, String> valid = new HashMap<>(map);
                  valid.computeIfPresent(
                      PRIORITY, (name, word) -> word.equals("adopt") ? "keep" : word);
                  return new Step(null, valid, false);
                });
    return Arbitraries.frequencyOf(
            Tuple.of(6, declared),
            Tuple.of(2, rules),
            Tuple.of(1, Arbitraries.just(new Step(null, null, true))))
        .list()
        .ofMinSize(2)
        .ofMaxSize(12);
  }

  private static Arbitrary<Map<String, Object>> arguments() {
    Arbitrary<Map.Entry<String, Object>> argument =
        Arbitraries.of(
            Map.entry("x-message-ttl", 1_000L),
            Map.entry("x-message-ttl", 2_000L),
            Map.entry("x-max-length", 1L),
            Map.entry("x-max-length", 2L),
            Map.entry("x-overflow", "drop-head"),
            Map.entry("x-overflow", "reject-publish"),
            Map.entry(OWN, 10L),
            Map.entry(OWN, 20L),
            Map.entry(PRIORITY, 5L));
    return argument
        .list()
        .ofMaxSize(3)
        .map(
            entries -> {
              Map<String, Object> map = new HashMap<>();
              entries.forEach(entry -> map.put(entry.getKey(), entry.getValue()));
              return map;
            });
  }
}
