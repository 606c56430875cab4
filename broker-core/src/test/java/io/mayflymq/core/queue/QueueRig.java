package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** A machine and its model side by side, with a clock and a timer that the commands drive. */
final class QueueRig {
  private record Pair(Consumer real, Subscriber naive, Outlet outlet) {}

  private final QueueLog realLog = new QueueLog();
  private final QueueLog naiveLog = new QueueLog();
  private final QueueValues values;
  private QueueSettings settings;
  private final ClassicQueueMachine real;
  private final NaiveQueue naive;

  private long now = 1_800_000_000_000L;
  private long timerAt = NaiveQueue.NEVER;
  private boolean deleted;

  private int messages;
  private final Map<Integer, Long> sequences = new HashMap<>();
  private final RecordingStore store;
  private final Set<Integer> died = new HashSet<>();

  private final List<Pair> consumers = new ArrayList<>();
  private final Pair getter;
  private int consumerNumbers;

  /**
   * Makes both.
   *
   * @param noRoomForEvery which messages are kept out of memory: every so-many-th, none for 0
   */
  QueueRig(QueueValues values, int noRoomForEvery) {
    this.values = values;
    this.settings = values.settings();
    this.store = new RecordingStore(noRoomForEvery, new Stored());
    this.real =
        new ClassicQueueMachine(
            settings,
            new PagePool(2),
            store,
            store::openRemoved,
            store::openStopped,
            new Effects(),
            now);
    this.naive = new NaiveQueue(settings, naiveLog, now);
    this.getter = pair(true, 0, 0);
    real.start(now);
  }

  private Pair pair(boolean acknowledges, int prefetch, int room) {
    int number = consumerNumbers++;
    Outlet outlet = new Outlet(number, room);
    ShortString tag = ShortString.of("c" + number);
    return new Pair(
        new Consumer(
            tag, new ConsumeOptions(acknowledges, false, prefetch, FieldTable.EMPTY), outlet),
        new Subscriber(number, acknowledges, prefetch, room),
        outlet);
  }

  void run(QueueCommand command) {
    if (deleted) {
      return;
    }
    if (command instanceof QueueCommand.Publish publish) {
      publish(publish);
    } else if (command instanceof QueueCommand.Subscribe subscribe) {
      Pair pair = pair(subscribe.acknowledges(), subscribe.prefetch(), subscribe.room());
      consumers.add(pair);
      real.subscribe(pair.real, now);
      naive.subscribe(pair.naive, now);
    } else if (command instanceof QueueCommand.Cancel cancel) {
      if (!consumers.isEmpty()) {
        Pair pair = pick(consumers, cancel.pick());
        assertThat(real.cancel(pair.real, now)).isEqualTo(naive.cancel(pair.naive, now));
      }
    } else if (command instanceof QueueCommand.Resume resume) {
      if (!consumers.isEmpty()) {
        Pair pair = pick(consumers, resume.pick());
        pair.outlet.room = resume.room();
        pair.naive.room = resume.room();
        real.resume(pair.real, now);
        naive.resume(pair.naive, now);
      }
    } else if (command instanceof QueueCommand.Fetch fetch) {
      fetch(fetch.acknowledges());
    } else if (command instanceof QueueCommand.Settle settle) {
      settle(settle);
    } else if (command instanceof QueueCommand.Purge) {
      assertThat(purge()).isEqualTo(naive.purge(now));
    } else if (command instanceof QueueCommand.PurgeSome some) {
      assertThat(purge(some)).isEqualTo(naive.purgeSome(some, now));
    } else if (command instanceof QueueCommand.PurgeFromBeside beside) {
      int number = messages++;
      Message message = message(number, beside.message());
      real.purgeFromBeside(message, null, (entry, moved) -> null, now);
      naive.purgeFromBeside(number, beside.message(), now);
    } else if (command instanceof QueueCommand.Restore restore) {
      restore(restore);
    } else if (command instanceof QueueCommand.Redeclare) {
      real.used(LeaseUse.DECLARE, now);
      naive.used(LeaseUse.DECLARE, now);
    } else if (command instanceof QueueCommand.Advance advance) {
      advance(advance.millis());
    } else if (command instanceof QueueCommand.Reconfigure reconfigure) {
      settings = keepingWhatNeverChanges(reconfigure.values());
      reconfigure();
    } else if (command instanceof QueueCommand.Extract extract) {
      extract(extract);
    } else if (command instanceof QueueCommand.Compact) {
      store.compact();
    } else if (command instanceof QueueCommand.Rest) {
      real.trimMemory();
    } else if (command instanceof QueueCommand.Stall stall) {
      now += stall.millis();
    }
    check();
  }

  private void publish(QueueCommand.Publish publish) {
    int number = messages++;
    Message message = message(number, publish);
    boolean waits = naive.blocks(publish.size(), now);
    assertThat(real.blocks(message, now)).isEqualTo(waits);
    if (!waits || number % 2 == 0) { // Every other one is the broker's, which does not wait.
      assertThat(real.publish(message, now)).isEqualTo(naive.publish(number, publish, now));
    }
  }

  private Message message(int number, QueueCommand.Publish publish) {
    return ManualQueue.message(
        ShortString.of(Integer.toString(number)),
        publish.size(),
        publish.ttl(),
        publish.persistent(),
        publish.priority(),
        headers(publish));
  }

  private FieldTable headers(QueueCommand.Publish publish) {
    FieldTable.Builder headers = publish.tenant().headers();
    return publish.deadlineIn() == QueueCommand.Publish.NO_DEADLINE
        ? headers.build()
        : headers.put("d", new FieldValue.Int64(now + publish.deadlineIn())).build();
  }

  private long purge(QueueCommand.PurgeSome some) {
    MessageChoice choice =
        new MessageChoice(MessageChoice.ANY, some.olderThan(), null, Map.of(), some.count());
    AtomicLong told = new AtomicLong();
    ChosenPurge forecast = real.purge(choice, true, (message, at) -> told.incrementAndGet());
    ChosenPurge purge = real.purge(choice, false, (message, at) -> told.incrementAndGet());
    assertThat(forecast.step(now)).isFalse();
    assertThat(told).hasValue(0);
    assertThat(purge.step(now)).isFalse();
    assertThat(told).hasValue(purge.chosen());
    assertThat(purge.chosen()).isEqualTo(forecast.chosen());
    return purge.chosen();
  }

  private void restore(QueueCommand.Restore restore) {
    Restoration.Choice choice =
        new Restoration.Choice(now - restore.sinceAgo(), restore.reasons(), restore.renews(), true);
    long forecast = restore(choice);
    List<Integer> back = naive.restore(restore, now);
    for (int number : back) {
      if (number < 0) {
        sequences.remove(-1 - number);
      }
      died.remove(number < 0 ? -1 - number : number);
    }
    long restored =
        restore(
            new Restoration.Choice(
                now - restore.sinceAgo(), restore.reasons(), restore.renews(), false));
    assertThat(restored).isEqualTo(forecast).isEqualTo(back.size());
  }

  private long restore(Restoration.Choice choice) {
    Restoration restoration = real.restoration(choice);
    assertThat(real.restore(restoration, now, (entry, message) -> null)).isFalse();
    return restoration.report().total();
  }

  /** In slices, with nothing in between. */
  private long purge() {
    Purge purge = real.purge(3);
    boolean more = true;
    while (more) {
      more = purge.step(now);
    }
    return purge.removed();
  }

  private void reconfigure() {
    boolean nothingIsDue = naive.earliestDeadline() > now;
    boolean simple =
        settings.expiry().mode() == ExpiryMode.EXACT
            && real.settings().expiry().mode() == ExpiryMode.EXACT
            && settings.expiry().ttlMode() == TtlMode.MIN
            && real.settings().expiry().ttlMode() == TtlMode.MIN
            && !settings.length().countsUnacked();
    boolean sameShares =
        Objects.equals(settings.deliveries().fairBy(), real.settings().deliveries().fairBy());
    boolean sameLevels = settings.hasPriorities() == real.settings().hasPriorities();
    boolean sameBounds =
        settings.deliveries().prefetchMax() == real.settings().deliveries().prefetchMax()
            && settings.deliveries().unackedMax() == real.settings().deliveries().unackedMax()
            && settings.pace().equals(real.settings().pace());
    PolicyImpact policyImpact = real.policyImpact(settings, now);
    real.reconfigure(settings, now);
    naive.reconfigure(settings, now);
    assertThat(real.settings()).isEqualTo(settings);
    assertThat(policyImpact.leaseEndMillis()).isEqualTo(naive.leaseEnd());
    if (!sameLevels || !sameShares) {
      return; // What leaves by a limit is forecast by the order that there is now.
    }
    if (settings.expiry().mode() == ExpiryMode.HEAD
        && settings.deliveries().fairBy() == null
        && !settings.length().countsUnacked()) {
      assertThat(policyImpact.overflowing()).isEqualTo(realLog.deaths(DeathReason.MAXLEN));
      // What consumers get by other bounds brings further messages to the head.
      if (policyImpact.overflowing() == 0 && sameBounds) {
        assertThat(policyImpact.expiring()).isEqualTo(realLog.deaths(DeathReason.EXPIRED));
      }
    }
    if (nothingIsDue) {
      // Elsewhere those that are too old leave as others are dropped: how many is for the drop to
      // say.
      // Those that consumers take as time goes on would expire without consumers.
      if (settings.expiry().mode() == ExpiryMode.EXACT) {
        assertThat(policyImpact.expiring())
            .isEqualTo(realLog.deaths(DeathReason.EXPIRED) + naive.takenWithoutTime());
      }
      if (simple) {
        assertThat(policyImpact.overflowing()).isEqualTo(realLog.deaths(DeathReason.MAXLEN));
      }
    }
  }

  private QueueSettings keepingWhatNeverChanges(QueueValues changed) {
    QueueValues kept = changed.withMaxPriority(values.maxPriority());
    return (values.type() == QueueType.QUORUM
            ? kept.of(QueueType.QUORUM)
                .in(dialect(changed))
                .with(PolicyKey.DELIVERY_LIMIT, values.keys().get(PolicyKey.DELIVERY_LIMIT))
            : kept)
        .settings();
  }

  /** What 3.13 counts of a message that came back is not what 4.3 counts. */
  private Dialect dialect(QueueValues changed) {
    return values.defaults().dialect() == Dialect.V3_13
        ? Dialect.V3_13
        : changed.defaults().dialect();
  }

  private void fetch(boolean acknowledges) {
    real.used(LeaseUse.GET, now);
    GetResult getResult = real.fetch(acknowledges, now);
    Optional<NaiveEntry> expected = naive.fetch(getter.naive, acknowledges, now);
    assertThat(getResult != null).as("got something").isEqualTo(expected.isPresent());
    if (getResult != null) {
      NaiveEntry entry = expected.get();
      assertThat(number(getResult.message())).isEqualTo(entry.number);
      assertThat(getResult.redelivered()).isEqualTo(entry.redelivered);
      assertThat(returns(getResult.message())).isEqualTo(naive.told(entry));
      assertThat(getResult.remaining()).isEqualTo(naive.readyCount());
      assertThat(now).as("handed out before its deadline").isLessThan(entry.deadline);
      assertThat(getResult.sequence() >= 0).isEqualTo(acknowledges);
      if (acknowledges) {
        learn(entry.number, getResult.sequence());
      }
    }
  }

  /** Settles a range in which no other consumer has a message, as a channel does. */
  private void settle(QueueCommand.Settle command) {
    List<Pair> holders = new ArrayList<>(consumers);
    holders.add(getter);
    holders.removeIf(pair -> naive.heldBy(pair.naive).isEmpty());
    if (holders.isEmpty()) {
      return;
    }
    Pair holder = pick(holders, command.pickHolder());
    List<NaiveEntry> all = naive.entries();
    int from = all.indexOf(pick(naive.heldBy(holder.naive), command.pickFirst()));
    int to = from;
    List<NaiveEntry> settled = new ArrayList<>();
    for (int i = from; i < all.size() && settled.size() < command.count(); i++) {
      NaiveEntry entry = all.get(i);
      if (entry.holder == holder.naive) {
        settled.add(entry);
        to = i;
      } else if (!isFree(entry)) {
        break;
      }
    }
    long first = sequences.get(all.get(from).number);
    long last = sequences.get(all.get(to).number);
    if (command.wide()) {
      first -= from == 0 || isFree(all.get(from - 1)) ? 1 : 0;
      last += to == all.size() - 1 || isFree(all.get(to + 1)) ? 1 : 0;
    }
    switch (command.settlement()) {
      case ACKNOWLEDGE -> {
        real.acknowledge(holder.real, Math.max(first, 0), last, now);
        naive.acknowledge(settled, now);
      }
      case REJECT -> {
        real.reject(holder.real, Math.max(first, 0), last, DropTrigger.CONSUMER, now);
        naive.reject(settled, now);
      }
      case REQUEUE -> {
        real.requeue(holder.real, Math.max(first, 0), last, now);
        naive.requeue(settled, false, now);
      }
      case FAIL -> {
        real.fail(holder.real, Math.max(first, 0), last, now);
        naive.requeue(settled, true, now);
      }
      case RELEASE -> {
        real.release(holder.real, Math.max(first, 0), last, now);
        naive.release(settled, now);
      }
    }
  }

  /** Of no consumer: none had it that could return it. */
  private static boolean isFree(NaiveEntry entry) {
    return entry.holder == null && !entry.isWaiting();
  }

  private void advance(int millis) {
    long end = now + millis;
    while (timerAt <= end && !deleted) {
      now = Math.max(now, timerAt);
      timerAt = NaiveQueue.NEVER;
      real.onTimer(now);
      naive.onTimer(now);
      check();
      assertThat(deleted || naive.earliestDeadline() > now || asksAgainAtOnce())
          .as("all that is due is dead")
          .isTrue();
    }
    now = deleted ? now : end;
  }

  /**
   * Where only the head is looked at, one that comes to the head because a limit makes others leave
   * is for the next timer, as in RabbitMQ.
   */
  private boolean asksAgainAtOnce() {
    return settings.expiry().mode() == ExpiryMode.HEAD && timerAt <= now;
  }

  private void check() {
    QueueLog.Happenings expected = naiveLog.take();
    assertThat(realLog.take()).isEqualTo(expected);
    deleted = expected.leaseEnded();
    assertThat(real.readyCount()).isEqualTo(naive.readyCount());
    assertThat(real.totals().readyBytes()).isEqualTo(naive.readyBytes());
    assertThat(real.totals().delayed()).isEqualTo(naive.waitingCount());
    assertThat(real.totals().messages()).isEqualTo(naive.entries().size());
    List<NaiveEntry> persistent =
        naive.entries().stream().filter(entry -> entry.persistent).toList();
    assertThat(real.totals().persistent()).isEqualTo(persistent.size());
    assertThat(real.totals().persistentBytes())
        .isEqualTo(persistent.stream().mapToLong(entry -> entry.size).sum());
    checkPriorities();
    assertThat(real.counters().get(Counter.EXPIRED_BY_DEADLINE))
        .isEqualTo(naive.expiredByDeadline());
    checkShares();
    assertThat(real.removedTotals().ready()).isEqualTo(naive.removedCount());
    assertThat(real.consumerCount()).isEqualTo(naive.consumerCount());
    if (settings.length().overflow() == Overflow.DROP_HEAD) {
      assertThat(naive.isOverLimit()).as("over the limit").isFalse();
    }
    if (!deleted) {
      assertThat(naive.readyCount() > 0 && timerAt > now && naive.canDeliver(now))
          .as("left lying about")
          .isFalse();
      assertThat(timerAt)
          .as("the timer")
          .isLessThanOrEqualTo(
              Math.min(
                  Math.min(naive.nextByPace(now), naive.earliestEndOfWait()),
                  Math.min(naive.earliestDeadline(), naive.leaseEnd())));
    }
  }

  private void checkPriorities() {
    PriorityCounts counts = real.priorityCounts();
    assertThat(counts != null).isEqualTo(settings.hasPriorities());
    if (counts != null) {
      assertThat(counts.ready()).isEqualTo(naive.countsByPriority());
      assertThat(counts.returned()).isEqualTo(naive.returnedCount());
    }
  }

  private void checkShares() {
    FairShareCounts counts = real.fairShareCounts();
    assertThat(counts != null).isEqualTo(settings.deliveries().fairBy() != null);
    if (counts != null) {
      assertThat(counts.unread()).isZero();
      Map<String, Long> largest = new HashMap<>();
      counts.largest().forEach(share -> largest.put(String.valueOf(share.value()), share.ready()));
      assertThat(largest).isEqualTo(naive.countsByShare());
      assertThat(counts.shares()).isEqualTo(largest.size());
      assertThat(counts.largest())
          .isSortedAccordingTo(Comparator.comparing((FairShareCounts.Share one) -> -one.ready()));
    }
  }

  /**
   * A ready message is taken away for a while, as by a redrive, and put back, or taken for good.
   */
  private void extract(QueueCommand.Extract extract) {
    List<NaiveEntry> candidates =
        naive.entries().stream()
            .filter(entry -> entry.isReady() && entry.ticket == NaiveQueue.NEVER)
            .filter(entry -> sequences.containsKey(entry.number) && now < entry.deadline)
            .toList();
    if (!candidates.isEmpty()) {
      NaiveEntry entry = pick(candidates, extract.pick());
      long sequence = sequences.get(entry.number);
      MessageExtractor extractor = real.messageExtractor();
      assertThat(extractor.livedMillis(sequence, now)).isEqualTo(naive.livedMillis(entry, now));
      extractor.lock(sequence);
      if (extract.putsBack()) {
        extractor.unlock(sequence, now);
        naive.putBack(entry, now);
      } else {
        extractor.remove(sequence);
        naive.extract(entry);
      }
    }
  }

  /** What is left to settle, once everything was: nothing. */
  void finish() {
    while (!deleted && naive.waitingCount() > 0) {
      advance((int) Math.max(1, naive.earliestEndOfWait() - now));
    }
    if (deleted) {
      return;
    }
    for (Pair pair : consumers) {
      real.cancel(pair.real, now);
      naive.cancel(pair.naive, now);
    }
    consumers.add(getter);
    for (Pair pair : consumers) {
      for (NaiveEntry entry : naive.heldBy(pair.naive)) {
        long sequence = sequences.get(entry.number);
        real.acknowledge(pair.real, sequence, sequence, now);
        naive.acknowledge(List.of(entry), now);
      }
    }
    assertThat(purge()).isEqualTo(naive.purge(now));
    check();
    settings = keepingWhatNeverChanges(QueueValues.NONE);
    real.reconfigure(settings, now);
    naive.reconfigure(settings, now);
    check();
    store.assertEmpty();
    assertThat(real.readyCount() + real.totals().unacked()).isZero();
  }

  private static <T> T pick(List<T> list, int pick) {
    return list.get(pick % list.size());
  }

  private static int number(Message message) {
    return Integer.parseInt(message.routingKey().value());
  }

  /** What the message says about how often it came back; 0 if nothing. */
  private static long returns(Message message) {
    return DeliveryCount.of(
        number(message, DeliveryCount.ACQUIRED_HEADER), number(message, DeliveryCount.HEADER));
  }

  private static int number(Message message, String header) {
    FieldValue count = message.headers().get(header);
    return count == null ? 0 : (int) count.longValue();
  }

  /** A message's sequence number is the same as long as it is in the queue. */
  private void learn(int message, long sequence) {
    Long known = sequences.putIfAbsent(message, sequence);
    assertThat(known == null || known == sequence).isTrue();
  }

  private boolean keeps(DeathReason reason) {
    return settings.recoverable().isOn() && !settings.deadLetters().areWantedOn(reason);
  }

  private boolean isRefusal(DeathReason reason) {
    return reason == DeathReason.MAXLEN
        && settings.length().overflow() == Overflow.REJECT_PUBLISH_DLX;
  }

  private final class Stored implements RecordingStore.Listener {
    @Override
    public void stored(
        Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis) {
      realLog.stored(number(message), Math.abs(ownDeadlineMillis), enqueuedAtMillis);
      learn(number(message), sequence);
    }

    @Override
    public void settled(Message message) {
      realLog.settled(number(message));
    }
  }

  private final class Effects implements QueueEffects {
    @Override
    public void died(
        Message message,
        UnsettledEntry entry,
        DropTrigger cause,
        long deadlineMillis,
        long nowMillis) {
      DeathReason reason = cause.reason();
      // Without a dead letter exchange the message is not read back when it dies.
      Message dead = message == null ? store.lastGone : message;
      realLog.died(number(dead), reason, nowMillis);
      assertThat(deadlineMillis <= nowMillis).isEqualTo(reason == DeathReason.EXPIRED);
      assertThat(died.add(number(dead))).as("dies once").isTrue();
      assertThat(entry == null).isEqualTo(!dead.persistent() || isRefusal(reason) || keeps(reason));
    }

    @Override
    public void wakeAt(long deadlineMillis) {
      timerAt = deadlineMillis;
    }

    @Override
    public void unreadable(long sequence, String reason, boolean kept) {
      throw new AssertionError(reason);
    }

    @Override
    public void leaseEnded() {
      realLog.leaseEnded();
    }
  }

  private final class Outlet implements ConsumerTarget {
    final int number;
    int room;
    private boolean reserved;

    Outlet(int number, int room) {
      this.number = number;
      this.room = room;
    }

    @Override
    public boolean reserve(Consumer consumer) {
      assertThat(reserved).as("room is reserved for one message at a time").isFalse();
      reserved = room > 0;
      return reserved;
    }

    @Override
    public void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
      assertThat(reserved).as("room was reserved").isTrue();
      reserved = false;
      room--;
      realLog.delivered(number, number(message), sequence >= 0, redelivered, returns(message));
      if (sequence >= 0) {
        learn(number(message), sequence);
      }
    }

    @Override
    public void cancelled(Consumer consumer) {
      throw new AssertionError("the machine does not end consumers by itself");
    }
  }
}
