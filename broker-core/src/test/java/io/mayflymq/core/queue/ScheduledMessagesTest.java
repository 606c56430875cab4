package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A schedule under random commands beside a naive one: a sorted list. */
class ScheduledMessagesTest {
  private static final int SLICE = 7;

  /** What the naive schedule knows of a message. */
  private record Waiting(
      long sequence, int number, long due, long came, boolean persistent, String id) {
    static final Comparator<Waiting> ORDER =
        Comparator.comparingLong(Waiting::due).thenComparingLong(Waiting::sequence);
  }

  private static final class Rig {
    private final Random random;
    private final int noRoomForEvery;
    private final TreeMap<Long, Waiting> naive = new TreeMap<>();
    private final List<Integer> released = new ArrayList<>();
    private RecordingStore store;
    private ScheduledMessages scheduled;
    private long now = 1_700_000_000_000L;
    private long nextSequence;
    private int numbers;

    Rig(long seed) {
      random = new Random(seed);
      noRoomForEvery = random.nextInt(4);
      open();
    }

    private void open() {
      store = new RecordingStore(noRoomForEvery, new Ignoring());
      scheduled = new ScheduledMessages(new PagePool(2), store);
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3, 4 -> add();
        case 5, 6 -> now += random.nextInt(random.nextInt(5) == 0 ? 5_000 : 50);
        case 7, 8 -> release();
        case 9 -> cancel();
        case 10 -> page();
        default -> rarely();
      }
      check();
    }

    private void rarely() {
      switch (random.nextInt(7)) {
        case 0 -> purge();
        case 1, 2 -> restart();
        case 3 -> releaseAll();
        default -> store.compact();
      }
    }

    private void add() {
      for (int count = random.nextInt(20); count >= 0; count--) {
        int number = numbers++;
        boolean persistent = random.nextInt(3) > 0;
        String id = random.nextInt(4) == 0 ? null : "id" + random.nextInt(30);
        long due = now + random.nextInt(random.nextBoolean() ? 100 : 20_000);
        naive.put(nextSequence, new Waiting(nextSequence, number, due, now, persistent, id));
        nextSequence++;
        scheduled.add(message(number, persistent, id), null, due, now);
      }
    }

    private void release() {
      List<Waiting> due =
          naive.values().stream().filter(each -> each.due <= now).sorted(Waiting.ORDER).toList();
      released.clear();
      long next = scheduled.release(now, SLICE, this::released);
      List<Waiting> first = due.subList(0, Math.min(SLICE, due.size()));
      assertThat(released).isEqualTo(first.stream().map(Waiting::number).toList());
      first.forEach(each -> naive.remove(each.sequence));
      assertThat(next).isEqualTo(nextDue());
    }

    private void releaseAll() {
      List<Waiting> next = naive.values().stream().sorted(Waiting.ORDER).limit(SLICE).toList();
      released.clear();
      scheduled.releaseAll(now, SLICE, this::released);
      assertThat(released).isEqualTo(next.stream().map(Waiting::number).toList());
      next.forEach(each -> naive.remove(each.sequence));
    }

    private void released(Message message, UnsettledEntry entry, long nowMillis) {
      assertThat(nowMillis).isEqualTo(now);
      assertThat(entry != null).as("is in the log").isEqualTo(message.persistent());
      released.add(number(message));
    }

    private void cancel() {
      String id = "id" + random.nextInt(30);
      ScheduleRemoval removal = scheduled.removal(id);
      while (removal.step()) {
        check();
      }
      long wanted = naive.values().stream().filter(each -> id.equals(each.id)).count();
      assertThat(removal.removed()).isEqualTo(wanted);
      naive.values().removeIf(each -> id.equals(each.id));
    }

    private void purge() {
      ScheduleRemoval removal = scheduled.removal(null);
      List<Long> here = new ArrayList<>(naive.keySet());
      boolean more = removal.step();
      add(); // What comes meanwhile stays.
      while (more) {
        more = removal.step();
      }
      assertThat(removal.removed()).isEqualTo(here.size());
      naive.keySet().removeAll(here);
    }

    private void page() {
      int limit = 1 + random.nextInt(8);
      List<Waiting> order = naive.values().stream().sorted(Waiting.ORDER).toList();
      int from = order.isEmpty() ? 0 : random.nextInt(order.size() + 1);
      SchedulePlace after =
          from == 0
              ? SchedulePlace.START
              : new SchedulePlace(order.get(from - 1).due, order.get(from - 1).sequence);
      ScheduleSearch search = scheduled.search(after, limit);
      while (search.step()) {
        check();
      }
      List<Waiting> wanted = order.subList(from, Math.min(order.size(), from + limit));
      assertThat(search.page().messages())
          .isEqualTo(
              wanted.stream()
                  .map(
                      each ->
                          new ScheduledMessage(
                              each.sequence,
                              each.due,
                              each.came,
                              body(each.number).length,
                              each.id,
                              "exchange",
                              "key"))
                  .toList());
      assertThat(search.page().last() == null).isEqualTo(wanted.size() < limit);
    }

    /** The process ends, and the store gives back what it kept, in any order. */
    private void restart() {
      naive.values().removeIf(each -> !each.persistent);
      open();
      List<Waiting> kept = new ArrayList<>(naive.values());
      Collections.shuffle(kept, random);
      kept.forEach(
          each ->
              store.bringBack(
                  each.sequence, message(each.number, true, each.id), each.due, each.came));
      scheduled.start();
      nextSequence = naive.isEmpty() ? 0 : naive.lastKey() + 1;
    }

    private long nextDue() {
      return naive.values().stream().mapToLong(Waiting::due).min().orElse(Long.MAX_VALUE);
    }

    private void check() {
      QueueTotals totals = scheduled.totals();
      assertThat(totals.unacked()).isZero();
      assertThat(totals.persistent()).isEqualTo(store.kept());
      assertThat(scheduled.nextDue()).isGreaterThanOrEqualTo(0);
    }

    void finish() {
      assertThat(scheduled.totals().ready()).isEqualTo(naive.size());
      assertThat(scheduled.nextDue()).isEqualTo(nextDue());
      now += 100_000;
      while (!naive.isEmpty()) {
        release();
      }
      store.assertEmpty();
      scheduled.dispose();
      assertThat(store.forgotten).isTrue();
    }
  }

  private record Ignoring() implements RecordingStore.Listener {
    @Override
    public void stored(
        Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis) {}

    @Override
    public void settled(Message message) {}
  }

  private static Message message(int number, boolean persistent, String id) {
    byte[] properties =
        BasicProperties.builder().deliveryMode(persistent ? 2 : 1).messageId(id).build().encode();
    byte[] body = body(number);
    byte[] content = new byte[properties.length + body.length];
    System.arraycopy(properties, 0, content, 0, properties.length);
    System.arraycopy(body, 0, content, properties.length, body.length);
    return new Message(
        ShortString.of("exchange"),
        ShortString.of("key"),
        content,
        properties.length,
        Message.NO_TTL,
        0,
        persistent,
        List.of());
  }

  private static byte[] body(int number) {
    return ByteBuffer.allocate(Integer.BYTES + number % 50).putInt(number).array();
  }

  private static int number(Message message) {
    return ByteBuffer.wrap(message.body()).getInt();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void scheduledMessagesBehaveLikeASortedList(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int steps) {
    Rig rig = new Rig(seed);
    for (int i = 0; i < steps; i++) {
      rig.step();
    }
    rig.finish();
  }

  @Test
  void storedContentNotDueSoonIsNotInMemory() {
    Rig rig = new Rig(1);
    rig.store = new RecordingStore(RecordingStore.ROOM_FOR_ALL, new Ignoring());
    rig.scheduled = new ScheduledMessages(new PagePool(2), rig.store);
    rig.scheduled.add(message(0, true, null), null, rig.now + 5_000, rig.now);
    rig.scheduled.add(message(1, true, null), null, rig.now + 500, rig.now);
    rig.scheduled.add(message(2, false, null), null, rig.now + 5_000, rig.now);
    MessageIndex<Message> index = rig.scheduled.index();
    assertThat(index.content(0)).isNull();
    assertThat(index.content(1)).isNotNull();
    assertThat(index.content(2)).isNotNull();
  }

  @Test
  void messagesAreNotReleasedBeforeTheirDueTime() {
    Rig rig = new Rig(2);
    rig.scheduled.add(message(0, false, null), null, rig.now + 10, rig.now);
    assertThat(rig.scheduled.release(rig.now + 9, SLICE, rig::released)).isEqualTo(rig.now + 10);
    assertThat(rig.released).isEmpty();
  }
}
