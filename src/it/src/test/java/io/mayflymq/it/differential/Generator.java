package io.mayflymq.it.differential;

import io.mayflymq.it.differential.Step.Verdict;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Generates programs: with few names, so that steps affect each other, and with some invalid
 * arguments.
 *
 * <p>What the two brokers do differently on purpose, or at a time of their own, is left out: times
 * to live other than none and at once, leases, shared prefetch, and acknowledgements in
 * transactions.
 */
final class Generator {
  static final int CHANNELS = 5;

  /** This one is in transactional mode, all others in confirm mode. */
  static final int TRANSACTIONAL = 4;

  private static final List<String> QUEUES = List.of("q0", "q1", "q2", "q3", "q4", "q5");

  /**
   * So many of them dead-letter, and to the others only: dead letters that go round race each
   * other.
   */
  private static final int DYING = 3;

  private static final List<String> EXCHANGES = List.of("x0", "x1", "x2", "x3");
  private static final List<String> KEYS =
      List.of("a", "b", "a.b", "a.b.c", "a.*", "#", "*.b.#", "#.c", "");
  private static final List<String> TYPES = List.of("direct", "fanout", "topic", "headers");
  private static final List<String> POLICIES =
      List.of(
          "{\"max-length\":3}",
          "{\"max-length-bytes\":500}",
          "{\"dead-letter-exchange\":\"\",\"dead-letter-routing-key\":\"q3\"}",
          "{\"alternate-exchange\":\"x2\"}");

  private final Random random;
  private final Map<Integer, Supplier<Step>> choices = new LinkedHashMap<>();
  private int weights;
  private int number;

  Generator(long seed) {
    random = new Random(seed);
    choice(30, this::publish);
    choice(12, this::declareQueue);
    choice(6, this::declareExchange);
    choice(10, this::bind);
    choice(3, () -> new Step.Unbind(any(), queue(), exchange(), key(), Map.of()));
    choice(3, () -> new Step.BindExchange(any(), exchange(), exchange(), key()));
    choice(1, () -> new Step.UnbindExchange(any(), exchange(), exchange(), key()));
    choice(10, this::consume);
    choice(4, () -> new Step.Cancel(consuming(), "t" + random.nextInt(4)));
    choice(8, () -> new Step.Get(consuming(), queue(), random.nextInt(4) == 0));
    choice(22, this::settle);
    choice(3, () -> new Step.Qos(consuming(), random.nextInt(4)));
    choice(1, () -> new Step.Recover(consuming()));
    choice(2, () -> new Step.DeclareQueuePassively(any(), queue()));
    choice(2, () -> new Step.DeleteQueue(any(), queue(), sometimes(), sometimes()));
    choice(1, () -> new Step.DeleteExchange(any(), exchange(), sometimes()));
    choice(1, () -> new Step.Purge(any(), queue()));
    choice(2, () -> new Step.CloseChannel(any()));
    choice(1, () -> new Step.CloseConnection(random.nextInt(2)));
    choice(4, () -> new Step.Commit(TRANSACTIONAL));
    choice(1, () -> new Step.Rollback(TRANSACTIONAL));
    choice(2, this::setPolicy);
    choice(1, () -> new Step.ClearPolicy("p" + random.nextInt(3)));
  }

  private void choice(int weight, Supplier<Step> step) {
    weights += weight;
    choices.put(weights, step);
  }

  Step next() {
    int drawn = random.nextInt(weights);
    for (Map.Entry<Integer, Supplier<Step>> choice : choices.entrySet()) {
      if (drawn < choice.getKey()) {
        return choice.getValue().get();
      }
    }
    throw new AssertionError(drawn);
  }

  private Step publish() {
    int channel = any();
    // The default exchange finds its queue at the commit in RabbitMQ, and at the publish here.
    boolean direct = random.nextInt(3) == 0 && channel != TRANSACTIONAL;
    Map<String, Object> headers = new HashMap<>();
    if (sometimes()) {
      headers.put("h", random.nextInt(3));
    }
    if (random.nextInt(12) == 0) {
      headers.put("CC", List.of(queue(), "a.b"));
    }
    if (random.nextInt(12) == 0) {
      headers.put("BCC", List.of(queue()));
    }
    return new Step.Publish(
        channel,
        direct ? "" : exchange(),
        direct ? queue() : key(),
        number++,
        random.nextInt(300),
        sometimes(),
        sometimes() ? random.nextInt(12) : null,
        headers);
  }

  private Step declareQueue() {
    Map<String, Object> arguments = new HashMap<>();
    if (random.nextInt(4) == 0) {
      arguments.put("x-max-length", random.nextInt(8) == 0 ? -1 : random.nextInt(5));
    }
    if (random.nextInt(6) == 0) {
      arguments.put("x-max-length-bytes", random.nextInt(600));
    }
    if (random.nextInt(5) == 0) {
      arguments.put(
          "x-overflow",
          one(List.of("drop-head", "reject-publish", "reject-publish-dlx", "drop-tail")));
    }
    String queue = queue();
    if (random.nextInt(20) == 0) {
      arguments.put("x-dead-letter-routing-key", key());
    } else if (QUEUES.indexOf(queue) < DYING && random.nextInt(3) == 0) {
      arguments.put("x-dead-letter-exchange", "");
      arguments.put("x-dead-letter-routing-key", one(QUEUES.subList(DYING, QUEUES.size())));
    }
    if (random.nextInt(10) == 0) {
      arguments.put("x-message-ttl", one(List.<Object>of(0, 0, 3_600_000, -5, "soon")));
    }
    if (random.nextInt(8) == 0) {
      arguments.put("x-single-active-consumer", true);
    }
    if (random.nextInt(8) == 0) {
      arguments.put("x-max-priority", one(List.<Object>of(1, 5, 10, 255, 256)));
    }
    return new Step.DeclareQueue(
        any(),
        queue,
        random.nextInt(4) == 0,
        random.nextInt(12) == 0,
        random.nextInt(8) == 0,
        arguments);
  }

  private Step declareExchange() {
    Map<String, Object> arguments =
        random.nextInt(4) == 0 ? Map.of("alternate-exchange", exchange()) : Map.of();
    return new Step.DeclareExchange(
        any(), exchange(), one(TYPES), random.nextInt(4) == 0, random.nextInt(8) == 0, arguments);
  }

  private Step bind() {
    Map<String, Object> arguments =
        random.nextInt(3) == 0
            ? Map.of("x-match", sometimes() ? "all" : "any", "h", random.nextInt(3))
            : Map.of();
    return new Step.Bind(any(), queue(), exchange(), key(), arguments);
  }

  private Step consume() {
    return new Step.Consume(
        consuming(),
        queue(),
        "t" + random.nextInt(4),
        random.nextInt(4) == 0,
        random.nextInt(10) == 0);
  }

  private Step settle() {
    return new Step.Settle(
        consuming(), random.nextInt(8), one(List.of(Verdict.values())), random.nextInt(3) == 0);
  }

  private Step setPolicy() {
    return new Step.SetPolicy(
        "p" + random.nextInt(3),
        one(List.of("^q[01]", "^q2", "^q[012]$", "^x0")),
        one(POLICIES),
        random.nextInt(3));
  }

  private int any() {
    return random.nextInt(CHANNELS);
  }

  private int consuming() {
    return random.nextInt(TRANSACTIONAL);
  }

  private String queue() {
    return one(QUEUES);
  }

  private String exchange() {
    return one(EXCHANGES);
  }

  private String key() {
    return one(KEYS);
  }

  private boolean sometimes() {
    return random.nextInt(2) == 0;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
