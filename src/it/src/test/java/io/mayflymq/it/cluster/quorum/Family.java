package io.mayflymq.it.cluster.quorum;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.mayflymq.it.cluster.fault.Ledger;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.rounds.Stream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/*
 * The rules are those of Jepsen's test of RabbitMQ, and stricter where the broker promises more:
 *
 * - lost: a message that was confirmed, that no client has tried to acknowledge, and that is neither in the queue nor among its dead letters.
 * - unexpected: a message that was never published, or is there after it was gone in an earlier round.
 * - doubled: delivered twice without the flag redelivered; or found twice in the queue; or back after a client had acknowledged it and the broker had
 *   answered a request that the client had sent behind that, while there was no fault. An acknowledgement that a leader had and the next one has not is as if it had
 *   not been sent: the message is delivered again, flagged.
 * - early: dead-lettered before its lifetime was over.
 * - out of order: messages of one publisher that reach one consumer in another order, of those that are delivered the first time. When another consumer leaves, what
 *   was on its way to it and has not reached its client goes back, and is delivered the first time behind later messages; so that is allowed from then on.
 * - recovered: a message that was not confirmed and is there. That is allowed, as is a dead letter that is there twice: a leader that ends between the copy and
 *   the removal of the original leaves both.
 */
/**
 * A queue with the queue of its dead letters if it has one, and what clients know of the messages
 * of both. Threads publish, consume and settle at once.
 */
final class Family {
  private static final int NAMED_AT_MOST = 3;

  /** Dead letters may be so much early: what nodes know of one another's clocks is not exact. */
  private static final long EARLY_NANOS = Duration.ofMillis(250).toNanos();

  private final Side queue;
  private final Side deadLetters;
  private final Duration lifetime;
  private final Map<String, Object> arguments;
  private final Map<Long, Fate> fates = new ConcurrentHashMap<>();

  /** The fates of messages that were gone at the end of the round before. */
  private Map<Long, Fate> past = Map.of();

  private final Map<String, Set<Long>> wrong = new ConcurrentHashMap<>();
  private final Queue<Disorder> disorders = new ConcurrentLinkedQueue<>();
  private final Map<String, Long> lastByClient = new ConcurrentHashMap<>();

  /** When this round began. */
  private volatile long begun = System.nanoTime();

  private final AtomicInteger phase = new AtomicInteger();
  private volatile boolean timeIsExact = true;

  /**
   * Creates one.
   *
   * @param deadLetters the name of the queue of dead letters; null for none
   * @param lifetime of messages; zero for no end
   * @param arguments of the queue, besides its type and what has it dead-letter
   */
  Family(String queue, String deadLetters, Duration lifetime, Map<String, Object> arguments) {
    this.queue = new Side(queue, false);
    this.deadLetters = deadLetters == null ? null : new Side(deadLetters, true);
    this.lifetime = lifetime;
    this.arguments = new HashMap<>(arguments);
    this.arguments.put("x-queue-type", "quorum");
    if (deadLetters != null) {
      this.arguments.put("x-dead-letter-exchange", "");
      this.arguments.put("x-dead-letter-routing-key", deadLetters);
      this.arguments.put("x-dead-letter-strategy", "at-least-once");
      this.arguments.put("x-overflow", "reject-publish");
    }
    if (!lifetime.isZero()) {
      this.arguments.put("x-message-ttl", lifetime.toMillis());
    }
  }

  private record Event(long nanos, String what) {}

  /** A consumer that has got two messages in the wrong order; at {@link System#nanoTime}. */
  private record Disorder(Side side, String client, long nanos, String what) {}

  /** What is known of a message. */
  private static final class Fate {
    private final long published = System.nanoTime();
    private final List<Event> events = new ArrayList<>();
    private volatile boolean confirmed;
    private volatile boolean acknowledged;
    private volatile boolean seen;

    /** No client may see it any more. */
    private volatile boolean settled;

    /** That of its last delivery. */
    private volatile int phase;

    private int firstDeliveries;
    private int deadLetters;

    synchronized void add(String what) {
      events.add(new Event(System.nanoTime(), what));
    }

    /** Returns how often it was delivered as if for the first time. */
    synchronized int addFirstDelivery() {
      return ++firstDeliveries;
    }

    synchronized void addDeadLetter() {
      deadLetters++;
    }

    synchronized boolean isDoubledDeadLetter() {
      return deadLetters > 1;
    }

    boolean mustBeThere() {
      return confirmed && !acknowledged;
    }

    synchronized String told(long fault) {
      return events.stream()
          .map(event -> "%+d ms %s".formatted((event.nanos - fault) / 1_000_000, event.what))
          .collect(Collectors.joining(", "));
    }
  }

  /** One of the two queues. */
  private final class Side implements Ledger {
    private final String name;
    private final boolean isOfDeadLetters;

    /** Since when consumers of this round are away, by {@link System#nanoTime}. */
    private final Map<String, Long> left = new ConcurrentHashMap<>();

    Side(String name, boolean isOfDeadLetters) {
      this.name = name;
      this.isOfDeadLetters = isOfDeadLetters;
    }

    @Override
    public String queue() {
      return name;
    }

    /** Quorum queues keep transient messages too. */
    @Override
    public BasicProperties properties(long id) {
      BasicProperties properties =
          id % 2 == 0 ? RestartedBroker.PERSISTENT : RestartedBroker.TRANSIENT;
      // Each publisher is a tenant, as only the order within one is kept.
      return arguments.get("x-fair-by") instanceof String header
          ? properties.builder().headers(Map.of(header, Stream.numberOf(id))).build()
          : properties;
    }

    @Override
    public void publishing(long id, String client) {
      Fate fate = new Fate();
      fate.add("published by " + client);
      fates.put(id, fate);
    }

    @Override
    public void confirmed(long id) {
      Fate fate = fates.get(id);
      fate.add("confirmed");
      fate.confirmed = true;
    }

    @Override
    public void refused(long id) {
      fates.get(id).add("refused");
    }

    @Override
    public void delivered(long id, boolean redelivered, String client) {
      Fate fate = fates.get(id);
      if (fate == null) {
        report(name + ": unexpected", id);
        return;
      }
      String again = redelivered ? ", redelivered" : "";
      fate.add("delivered from " + name + " to " + client + again);
      fate.seen = true;
      fate.phase = phase.get();
      if (isOfDeadLetters) {
        if (timeIsExact && System.nanoTime() - fate.published < lifetime.toNanos() - EARLY_NANOS) {
          report(name + ": early", id);
        }
        if (!redelivered) {
          fate.addDeadLetter();
        }
        return;
      }
      if (fate.settled) {
        report(name + ": back after the acknowledgement", id);
      }
      if (!redelivered) {
        if (fate.addFirstDelivery() > 1) {
          report(name + ": delivered again, not as redelivered", id);
        }
        checkOrder(id, client);
      }
    }

    private void checkOrder(long id, String client) {
      Long last = lastByClient.put(client + " " + Stream.numberOf(id), id);
      if (last != null && last > id) {
        String what =
            "%s: %s had %s before %s".formatted(name, client, Stream.text(last), Stream.text(id));
        disorders.add(new Disorder(this, client, System.nanoTime(), what));
      }
    }

    /** One that was made to leave may have left some time before it learns that. */
    @Override
    public void leaves(String client, boolean asked) {
      left.put(client, asked ? System.nanoTime() : begun);
    }

    @Override
    public void settling(long id) {
      Fate fate = fates.get(id);
      if (fate != null) {
        fate.add("acknowledged");
        fate.acknowledged = true;
      }
    }

    @Override
    public void settled(long id) {
      Fate fate = fates.get(id);
      if (fate != null && !isOfDeadLetters && fate.phase == stablePhase()) {
        fate.add("known to be settled");
        fate.settled = true;
      }
    }
  }

  /** Returns the number of the time without faults that it is; -1 during a fault. */
  private int stablePhase() {
    int now = phase.get();
    return now % 2 == 0 ? now : -1;
  }

  private void report(String what, long id) {
    wrong.computeIfAbsent(what, none -> ConcurrentHashMap.newKeySet()).add(id);
  }

  Ledger queue() {
    return queue;
  }

  /** Returns what is known of the dead letters; null if there are none. */
  Ledger deadLetters() {
    return deadLetters;
  }

  Map<String, Object> arguments() {
    return arguments;
  }

  /**
   * Says that a fault is about to begin.
   *
   * @param setsClocks whether messages may expire early in it
   */
  void faultBegins(boolean setsClocks) {
    phase.incrementAndGet();
    timeIsExact = !setsClocks;
  }

  /** Says that all nodes work again. */
  void faultIsOver() {
    phase.incrementAndGet();
  }

  /** Returns whether a message that must be there is not among these. */
  boolean lacks(Set<Long> found) {
    return fates.entrySet().stream()
        .anyMatch(fate -> fate.getValue().mustBeThere() && !found.contains(fate.getKey()));
  }

  /**
   * Compares with what is there after a fault, and takes it as the truth from now on.
   *
   * @param inQueue the messages in the queue
   * @param dead the dead letters
   * @param fault the {@link System#nanoTime} at which the fault began
   * @return what is wrong; empty if nothing is
   */
  List<String> check(List<Long> inQueue, List<Long> dead, long fault) {
    Set<Long> found = new HashSet<>(dead);
    Set<Long> once = new HashSet<>();
    for (long id : inQueue) {
      found.add(id);
      if (!once.add(id)) {
        report(queue.queue() + ": there twice", id);
      }
    }
    fates.forEach(
        (id, fate) -> {
          if (fate.mustBeThere() && !found.contains(id)) {
            report(queue.queue() + ": lost", id);
          }
        });
    List<String> result =
        disorders.stream()
            .filter(disorder -> !isExcused(disorder))
            .map(Disorder::what)
            .collect(Collectors.toCollection(ArrayList::new));
    disorders.clear();
    forgetThatHaveLeft();
    begun = System.nanoTime();
    wrong.forEach((what, ids) -> result.add(told(what, ids, fault)));
    wrong.clear();
    lastByClient.clear();
    return result;
  }

  private void forgetThatHaveLeft() {
    queue.left.clear();
    if (deadLetters != null) {
      deadLetters.left.clear();
    }
  }

  private static boolean isExcused(Disorder disorder) {
    return disorder.side().left.entrySet().stream()
        .anyMatch(
            consumer ->
                !consumer.getKey().equals(disorder.client())
                    && disorder.nanos() - consumer.getValue() >= 0);
  }

  private String told(String what, Collection<Long> ids, long fault) {
    return "%s: %d messages, such as%n%s"
        .formatted(
            what,
            ids.size(),
            ids.stream()
                .sorted()
                .limit(NAMED_AT_MOST)
                .map(id -> "    " + Stream.text(id) + ": " + history(id, fault))
                .collect(Collectors.joining("\n")));
  }

  private String history(long id, long fault) {
    Fate fate = fates.get(id);
    Fate before = past.get(id);
    if (fate != null) {
      return fate.told(fault);
    }
    return before == null ? "unknown" : "gone after: " + before.told(fault);
  }

  /** Forgets what is gone, after {@link #check}. */
  void takeAsTruth(Set<Long> found) {
    Map<Long, Fate> gone = new HashMap<>();
    fates.forEach(
        (id, fate) -> {
          // What was neither confirmed nor found may be on its way.
          if (!found.contains(id) && (fate.confirmed || fate.acknowledged)) {
            gone.put(id, fate);
          }
        });
    fates.keySet().removeAll(gone.keySet());
    past = gone;
    for (long id : found) {
      Fate fate = fates.get(id);
      if (fate != null) {
        fate.confirmed = true;
        fate.acknowledged = false;
      }
    }
  }

  /** How many messages were published, and what became of some. */
  record Tally(long published, long confirmed, long recovered, long deadLettersDoubled) {
    static Tally sum(Tally one, Tally other) {
      return new Tally(
          one.published + other.published,
          one.confirmed + other.confirmed,
          one.recovered + other.recovered,
          one.deadLettersDoubled + other.deadLettersDoubled);
    }
  }

  /** Returns what the clients know before {@link #check}. */
  Tally tally() {
    return new Tally(
        fates.size(),
        count(fate -> fate.confirmed),
        count(fate -> fate.seen && !fate.confirmed),
        count(Fate::isDoubledDeadLetter));
  }

  private long count(Predicate<Fate> which) {
    return fates.values().stream().filter(which).count();
  }
}
