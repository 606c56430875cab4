package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

/** The order of expiry against a search of all ready messages. */
class ExpiryOrderTest {
  private final Queue queue = new Queue();

  @Test
  void queueWithoutDeadlinesHasNoEarliestMessage() {
    queue.append(Deadlines.NEVER);

    assertThat(queue.order.earliest()).isEqualTo(-1);
  }

  @Test
  void messageBehindALaterDeadlineIsTheEarliest() {
    queue.append(100);
    queue.append(Deadlines.NEVER);
    long stuck = queue.append(50);
    queue.append(100);

    assertThat(queue.order.earliest()).isEqualTo(stuck);
  }

  @Test
  void equalDeadlinesAreOrderedByPlaceInTheQueue() {
    queue.append(100);
    long first = queue.append(50);
    queue.append(60);
    queue.append(50);

    assertThat(queue.order.earliest()).isEqualTo(first);
    queue.remove(first);
    assertThat(queue.order.earliest()).isEqualTo(3);
  }

  @Test
  void requeuedMessageBehindALaterDeadlineIsTheEarliestAgain() {
    queue.append(100);
    long stuck = queue.append(50);
    queue.append(100);
    queue.take(stuck);
    assertThat(queue.order.earliest()).isZero();

    queue.requeue(stuck);

    assertThat(queue.order.earliest()).isEqualTo(stuck);
  }

  @Test
  void messageDeliveredOnArrivalIsOrderedByDeadlineWhenRequeued() {
    queue.append(50);
    long handedOver = queue.appendTaken(100);
    queue.append(60);
    queue.remove(0);

    queue.requeue(handedOver);

    assertThat(queue.order.earliest()).isEqualTo(2);
  }

  @Test
  void requeuedMessageAtTheHeadIsTheEarliestAgain() {
    long first = queue.append(50);
    queue.append(60);
    queue.take(first);
    assertThat(queue.order.earliest()).isEqualTo(1);

    queue.requeue(first);

    assertThat(queue.order.earliest()).isEqualTo(first);
  }

  @Test
  void messageUnacknowledgedDuringAPurgeIsFoundWhenRequeued() {
    queue.append(100);
    long stuck = queue.append(50);
    long inOrder = queue.append(100);
    queue.take(stuck);
    queue.take(inOrder);
    queue.purge();
    queue.append(70);

    queue.requeue(inOrder);
    assertThat(queue.order.earliest()).isEqualTo(3);
    queue.requeue(stuck);
    assertThat(queue.order.earliest()).isEqualTo(stuck);
  }

  enum Kind {
    APPEND,
    APPEND_MANY_THAT_STAY,
    APPEND_TAKEN,
    TAKE,
    REQUEUE,
    SETTLE,
    REMOVE_READY,
    EXPIRE,
    LOOK,
    PURGE
  }

  record Action(Kind kind, long deadline, int pick) {}

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void earliestMessageIsThatOfAFullSearch(@ForAll("actions") List<Action> actions) {
    Queue tried = new Queue();
    for (Action action : actions) {
      tried.run(action);
    }
    tried.check();
    while (tried.order.earliest() >= 0) {
      tried.check();
      tried.remove(tried.order.earliest());
    }
    tried.check();
  }

  @Provide
  Arbitrary<List<Action>> actions() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(20, Kind.APPEND),
            Tuple.of(1, Kind.APPEND_MANY_THAT_STAY),
            Tuple.of(2, Kind.APPEND_TAKEN),
            Tuple.of(8, Kind.TAKE),
            Tuple.of(6, Kind.REQUEUE),
            Tuple.of(2, Kind.SETTLE),
            Tuple.of(4, Kind.REMOVE_READY),
            Tuple.of(2, Kind.EXPIRE),
            Tuple.of(4, Kind.LOOK),
            Tuple.of(1, Kind.PURGE));
    Arbitrary<Long> deadlines =
        Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.longs().between(1, 30)),
            Tuple.of(1, Arbitraries.just(Deadlines.NEVER)));
    return Combinators.combine(kinds, deadlines, Arbitraries.integers().between(0, 1000))
        .as(Action::new)
        .list()
        .ofMaxSize(200);
  }

  /** The naive queue: an entry for each message, each with its deadline and marks. */
  private static final class Queue implements ExpiryOrder.Messages {
    private static final class Entry {
      final long deadline;
      boolean ready;
      boolean indexed;
      boolean outOfOrder;

      Entry(long deadline, boolean ready) {
        this.deadline = deadline;
        this.ready = ready;
        this.outOfOrder = !ready;
      }
    }

    final ExpiryOrder order = new ExpiryOrder(this);
    private final TreeMap<Long, Entry> entries = new TreeMap<>();
    private long next;

    void run(Action action) {
      switch (action.kind) {
        case APPEND -> append(action.deadline);
        case APPEND_MANY_THAT_STAY -> {
          for (int i = 0; i < 60 + action.pick % 10; i++) {
            append(Deadlines.NEVER);
          }
        }
        case APPEND_TAKEN -> appendTaken(action.deadline);
        case TAKE -> pick(true, action.pick).ifPresent(this::take);
        case REQUEUE -> pick(false, action.pick).ifPresent(this::requeue);
        case SETTLE -> pick(false, action.pick).ifPresent(this::remove);
        case REMOVE_READY -> pick(true, action.pick).ifPresent(this::remove);
        case EXPIRE -> {
          check();
          if (order.earliest() >= 0) {
            remove(order.earliest());
          }
        }
        case LOOK -> check();
        case PURGE -> purge();
      }
    }

    long append(long deadline) {
      entries.put(next, new Entry(deadline, true));
      if (deadline != Deadlines.NEVER) {
        order.appended(next, deadline);
      }
      return next++;
    }

    long appendTaken(long deadline) {
      entries.put(next, new Entry(deadline, false));
      return next++;
    }

    void take(long sequence) {
      entries.get(sequence).ready = false;
    }

    void requeue(long sequence) {
      Entry entry = entries.get(sequence);
      entry.ready = true;
      if (entry.deadline != Deadlines.NEVER) {
        order.requeued(sequence, entry.deadline);
      }
    }

    void remove(long sequence) {
      if (entries.remove(sequence).indexed) {
        order.discarded();
      }
    }

    void purge() {
      entries.values().removeIf(entry -> entry.ready);
      entries.values().forEach(entry -> entry.indexed = false);
      order.cleared();
    }

    void check() {
      long expected =
          entries.entrySet().stream()
              .filter(entry -> entry.getValue().ready)
              .filter(entry -> entry.getValue().deadline != Deadlines.NEVER)
              .min(
                  Comparator.comparing((Map.Entry<Long, Entry> entry) -> entry.getValue().deadline))
              .map(Map.Entry::getKey)
              .orElse(-1L);
      assertThat(order.earliest()).isEqualTo(expected);
    }

    private Optional<Long> pick(boolean ready, int pick) {
      List<Long> candidates = new ArrayList<>();
      entries.forEach(
          (sequence, entry) -> {
            if (entry.ready == ready) {
              candidates.add(sequence);
            }
          });
      return candidates.isEmpty()
          ? Optional.empty()
          : Optional.of(candidates.get(pick % candidates.size()));
    }

    @Override
    public long firstReadyFrom(long sequence) {
      return entries.tailMap(sequence).entrySet().stream()
          .filter(entry -> entry.getValue().ready)
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse(-1L);
    }

    @Override
    public boolean contains(long sequence) {
      return entries.containsKey(sequence);
    }

    @Override
    public boolean isReady(long sequence) {
      return contains(sequence) && entries.get(sequence).ready;
    }

    @Override
    public long deadline(long sequence) {
      return entries.get(sequence).deadline;
    }

    @Override
    public boolean isIndexed(long sequence) {
      return entries.get(sequence).indexed;
    }

    @Override
    public boolean isOutOfOrder(long sequence) {
      return entries.get(sequence).outOfOrder;
    }

    @Override
    public void setIndexed(long sequence, boolean indexed) {
      entries.get(sequence).indexed = indexed;
      entries.get(sequence).outOfOrder |= indexed;
    }
  }
}
