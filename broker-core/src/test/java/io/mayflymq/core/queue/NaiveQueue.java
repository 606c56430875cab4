package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PaceSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.TtlMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/*
 * A queue as its rules are told: a list of messages in the order in which they were published, searched from end to end each time.
 *
 * Rules that the model adds to those of RabbitMQ, since it has expiry everywhere and a timer that may be late:
 *   - a message is dead from its deadline on, and is noticed to be so by the timer, by what is about to deliver it, when it
 *     comes back, and before a limit makes anything else leave or stay out;
 *   - several that are noticed at once die in the order of their deadlines, then of the queue.
 *
 * Where the values of a header take turns: a share joins a round at its end when it gets its first ready message, leaves it with
 * its last one, and goes to the end when one of its messages was handed out in its turn.
 */
final class NaiveQueue {
  static final long NEVER = Long.MAX_VALUE;

  private QueueSettings settings;
  private final QueueLog log;
  private final List<NaiveEntry> entries = new ArrayList<>();
  private final List<Subscriber> subscribers = new ArrayList<>();
  private long lastTicket;
  private long lastReturn;
  private long lastUse;
  private int places;
  private long expiredByDeadline;

  /** Those that came before it keep the deadlines that they had when the TTL changed last. */
  private int keptBefore;

  /** Since when the time of TTLs stands still; only while it does. */
  private long stoppedAt;

  /** Whether it goes on at this moment: what came meanwhile with a TTL of 0 may be handed out. */
  private boolean goesOn;

  /** How many of those were handed out when it went on last. */
  private long takenWithoutTime;

  /** What has left and can be brought back, in the order in which it left. */
  private final List<Removed> removed = new ArrayList<>();

  /** The shares that have ready messages by level, the one whose turn it is first. */
  private final Map<Integer, List<String>> rounds = new HashMap<>();

  private record Removed(NaiveEntry entry, long at, RemovalReason reason) {}

  /** When messages were handed out since the rate was set. */
  private final List<Long> handedOut = new ArrayList<>();

  NaiveQueue(QueueSettings settings, QueueLog log, long now) {
    this.settings = settings;
    this.log = log;
    this.lastUse = now;
    this.stoppedAt = now;
  }

  /** Whether a client that publishes so many bytes waits. */
  boolean blocks(int size, long now) {
    if (settings.length().overflow() != Overflow.BLOCK || !exceeds(1, size)) {
      return false;
    }
    expireAllDue(now);
    return exceeds(1, size);
  }

  boolean publish(int number, QueueCommand.Publish publish, long now) {
    used(LeaseUse.PUBLISH, now);
    int size = publish.size();
    if (settings.length().overflow() != Overflow.DROP_HEAD
        && settings.length().overflow() != Overflow.BLOCK) {
      if (exceeds(1, size)) {
        expireAllDue(now);
      }
      if (exceeds(1, size)) {
        if (settings.length().overflow() == Overflow.REJECT_PUBLISH_DLX) {
          log.died(number, DeathReason.MAXLEN, now);
        }
        return false;
      }
    }
    NaiveEntry entry = entry(number, publish, now);
    boolean isOver = isOver(entry.headerDeadline, now);
    if (!isOver && ready().findAny().isEmpty()) {
      Optional<Subscriber> taker = isFull() || !keepsPace(now) ? Optional.empty() : nextWithRoom();
      if (taker.isPresent()) {
        if (taker.get().acknowledges || settings.recoverable().acked()) {
          store(entry, now);
        }
        deliver(entry, taker.get(), now);
        return true;
      }
    }
    store(entry, now);
    boolean looked =
        switch (settings.expiry().mode()) {
          case EXACT -> true;
          case HEAD -> head().orElseThrow() == entry;
          case LAZY -> false;
        };
    if (isOver || (looked && now >= entry.deadline)) {
      die(entry, DeathReason.EXPIRED, now);
      return true;
    }
    dropWhatIsTooMuch(now);
    return true;
  }

  private NaiveEntry entry(int number, QueueCommand.Publish publish, long now) {
    long header =
        publish.deadlineIn() == QueueCommand.Publish.NO_DEADLINE
            ? NEVER
            : now + publish.deadlineIn();
    NaiveEntry entry =
        new NaiveEntry(
            number,
            publish.size(),
            publish.persistent(),
            publish.priority(),
            publish.ttl(),
            now,
            own(publish.ttl(), now, now, header),
            logged(publish.ttl(), now, header));
    entry.headerDeadline = header;
    entry.absolute = counted(header) != NEVER;
    entry.place = places;
    entry.deadline = deadline(entry);
    entry.tenant = publish.tenant();
    return entry;
  }

  /** What was beside the queue is purged: it is as if it had been in the queue. */
  void purgeFromBeside(int number, QueueCommand.Publish message, long now) {
    NaiveEntry entry = entry(number, message, now);
    store(entry, now);
    purged(entry, now);
  }

  private void store(NaiveEntry entry, long now) {
    entry.place = places++;
    entries.add(entry);
    keepRounds();
    if (entry.persistent) {
      log.stored(entry.number, entry.ownDeadline, now);
    }
  }

  private boolean exceeds(int moreMessages, int moreBytes) {
    Predicate<NaiveEntry> counts = entry -> settings.length().countsUnacked() || isPurged(entry);
    long messages = entries.stream().filter(counts).count();
    long bytes = entries.stream().filter(counts).mapToLong(entry -> entry.size).sum();
    return (settings.length().maxLength() >= 0
            && messages + moreMessages > settings.length().maxLength())
        || (settings.length().maxLengthBytes() >= 0
            && bytes + moreBytes > settings.length().maxLengthBytes());
  }

  private void dropWhatIsTooMuch(long now) {
    if (settings.length().overflow() != Overflow.DROP_HEAD || !isOverLimit()) {
      return;
    }
    expireAllDue(now);
    while (isOverLimit()) {
      NaiveEntry head =
          isShared()
              ? firstOfLargest()
              : (settings.length().dropsLowest() ? headOfLowest() : head()).orElseThrow();
      die(head, now >= head.deadline ? DeathReason.EXPIRED : DeathReason.MAXLEN, now);
    }
  }

  private void expireAllDue(long now) {
    switch (settings.expiry().mode()) {
      case EXACT -> expireAnywhere(now);
      case HEAD -> firstUnexpired(now);
      case LAZY -> {}
    }
  }

  private void expireAnywhere(long now) {
    ready()
        .filter(entry -> now >= entry.deadline)
        .sorted(Comparator.comparing((NaiveEntry entry) -> entry.deadline))
        .toList()
        .forEach(entry -> die(entry, DeathReason.EXPIRED, now));
  }

  private void die(NaiveEntry entry, DeathReason reason, long now) {
    boolean isOfHeader =
        entry.kept == entry.deadline && counted(entry.headerDeadline) == entry.deadline;
    if (reason == DeathReason.EXPIRED && isOfHeader && !entry.redelivered) {
      expiredByDeadline++;
    }
    log.died(entry.number, reason, now);
    if (keeps(reason)) {
      remove(entry, RemovalReason.valueOf(reason.name()), now);
    } else {
      leave(entry);
    }
  }

  /** How many messages have died at the deadline of their header before they were delivered. */
  long expiredByDeadline() {
    return expiredByDeadline;
  }

  private boolean keeps(DeathReason reason) {
    return settings.recoverable().isOn() && !settings.deadLetters().areWantedOn(reason);
  }

  private void leave(NaiveEntry entry) {
    boolean wasHere = entries.remove(entry);
    keepRounds();
    if (wasHere && entry.persistent) {
      log.settled(entry.number);
    }
  }

  private void acknowledged(NaiveEntry entry, long now) {
    if (settings.recoverable().acked()) {
      remove(entry, RemovalReason.ACKED, now);
    } else {
      leave(entry);
    }
  }

  private void purged(NaiveEntry entry, long now) {
    if (settings.recoverable().isOn()) {
      remove(entry, RemovalReason.PURGED, now);
    } else {
      leave(entry);
    }
  }

  // What can be brought back

  private void remove(NaiveEntry entry, RemovalReason reason, long now) {
    entries.remove(entry);
    keepRounds();
    removed.add(new Removed(entry, now, reason));
    if (removedBytes() > settings.recoverable().mostBytes()) {
      letGo(now);
    }
  }

  private long removedBytes() {
    return removed.stream()
        .mapToLong(one -> one.entry.size + RemovedMessages.BYTES_PER_MESSAGE)
        .sum();
  }

  private boolean isOver(Removed one, long now) {
    return now >= NaiveDeadline.of(settings.recoverable().windowMillis(), one.at);
  }

  private void letGo(long now) {
    removed.sort(
        Comparator.comparing(Removed::at)
            .thenComparing(Removed::reason)
            .thenComparing(one -> one.entry.place));
    while (!removed.isEmpty()
        && (isOver(removed.get(0), now) || removedBytes() > settings.recoverable().mostBytes())) {
      NaiveEntry gone = removed.remove(0).entry;
      if (gone.persistent) {
        log.settled(gone.number);
      }
    }
  }

  long removedCount() {
    return removed.size();
  }

  /**
   * Brings messages back. Those whose time is over get new places and times, if that is wanted.
   *
   * @return what is back; those with new places have a number of 0 or less, which is their own,
   *     less one, negated
   */
  List<Integer> restore(QueueCommand.Restore restore, long now) {
    List<Removed> chosen =
        removed.stream()
            .filter(one -> one.at >= now - restore.sinceAgo() && !isOver(one, now))
            .filter(one -> restore.reasons().contains(one.reason))
            .sorted(Comparator.comparing((Removed one) -> one.entry.place))
            .toList();
    List<Integer> back = new ArrayList<>();
    for (Removed one : chosen) {
      NaiveEntry was = one.entry;
      boolean absolute = counted(was.headerDeadline) != NEVER;
      long own = ownAgain(was, was.from);
      // While time stands still what counts is what would be if it went on now.
      long stood = settings.pace().stopsTtl() ? now - Math.max(stoppedAt, was.arrival) : 0;
      long effective = absolute || own == NEVER ? own : own + stood;
      boolean isDead =
          now >= NaiveDeadline.of(settings.expiry(), effective, was.from + stood, false);
      boolean isOver = isOver(was.headerDeadline, now);
      if (isOver || (isDead && !restore.renews())) {
        continue;
      }
      removed.remove(one);
      long arrival = isDead ? now : was.arrival;
      long anew = isDead ? own(was.ttl, now, now, was.headerDeadline) : own;
      NaiveEntry entry =
          new NaiveEntry(
              was.number,
              was.size,
              was.persistent,
              was.priority,
              was.ttl,
              arrival,
              anew,
              isDead
                  ? logged(was.ttl, now, was.headerDeadline)
                  : absolute ? own : ownAgain(was, was.arrival));
      if (was.persistent) {
        log.settled(was.number);
        log.stored(was.number, entry.ownDeadline, arrival);
      }
      entry.headerDeadline = was.headerDeadline;
      entry.tenant = was.tenant;
      entry.absolute = absolute;
      entry.from = isDead ? now : was.from;
      entry.place = isDead ? places++ : was.place;
      entry.deadline = deadline(entry);
      entry.redelivered =
          !isDead
              && (was.redelivered
                  || one.reason == RemovalReason.ACKED
                  || one.reason == RemovalReason.REJECTED
                  || one.reason == RemovalReason.DELIVERY_LIMIT);
      entries.add(entry);
      keepRounds();
      back.add(isDead ? -1 - was.number : was.number);
    }
    entries.sort(Comparator.comparing((NaiveEntry entry) -> entry.place));
    if (!back.isEmpty()) {
      dropWhatIsTooMuch(now);
      offer(now);
    }
    return back;
  }

  /** With a deadline in the header that counts, its own one is a moment that stays what it is. */
  private long own(long ttl, long arrival, long from, long header) {
    long counted = counted(header);
    long begin = counted == NEVER ? from : arrival;
    long byTtl =
        ttl < 0 ? NEVER : NaiveDeadline.of(Math.max(ttl, settings.expiry().floorMillis()), begin);
    return Math.min(byTtl, counted);
  }

  private long logged(long ttl, long arrival, long header) {
    return counted(header) == NEVER
        ? NaiveDeadline.of(ttl, arrival)
        : own(ttl, arrival, arrival, header);
  }

  private long ownAgain(NaiveEntry was, long from) {
    long own = own(was.ttl, was.arrival, from, was.headerDeadline);
    return was.place < keptBefore
        ? NaiveDeadline.of(settings.expiry(), own, was.from == from ? from : was.arrival, false)
        : own;
  }

  private long deadline(NaiveEntry entry) {
    boolean stands = settings.pace().stopsTtl();
    long own = stands && !entry.absolute ? NEVER : entry.kept;
    return entry.place < keptBefore
        ? own
        : NaiveDeadline.of(settings.expiry(), own, entry.from, stands);
  }

  /** Time goes on: each message has as much left as it had when time began to stand still. */
  private void goOn(NaiveEntry entry, long now) {
    long stood = now - Math.max(stoppedAt, entry.arrival);
    entry.from += stood;
    if (!entry.absolute && entry.kept != NEVER) {
      entry.kept += stood;
    }
  }

  /** How long it has lived by what its own TTL counts. */
  long livedMillis(NaiveEntry entry, long now) {
    boolean stands = settings.pace().stopsTtl() && !entry.absolute;
    long until = stands ? Math.max(stoppedAt, entry.arrival) : now;
    return until - (entry.absolute ? entry.arrival : entry.from);
  }

  private boolean isOver(long header, long now) {
    return settings.expiry().ttlMode() != TtlMode.QUEUE_ONLY && now >= counted(header);
  }

  private long counted(long header) {
    return "d".equals(settings.expiry().deadlineHeader()) ? header : NEVER;
  }

  void subscribe(Subscriber subscriber, long now) {
    subscriber.subscribed = true;
    subscribers.add(subscriber);
    offer(now);
  }

  boolean cancel(Subscriber subscriber, long now) {
    if (!subscriber.subscribed) {
      return false;
    }
    subscriber.subscribed = false;
    subscribers.remove(subscriber);
    if (!subscribers.isEmpty()) {
      offer(now);
      return false;
    }
    used(LeaseUse.CONSUME, now);
    return true;
  }

  void resume(Subscriber subscriber, long now) {
    if (subscriber.saidNoRoom) {
      subscriber.saidNoRoom = false;
      if (canTake(subscriber)) {
        offer(now); // What others could have is for the timer, which may be late.
      }
    }
  }

  Optional<NaiveEntry> fetch(Subscriber getter, boolean acknowledges, long now) {
    used(LeaseUse.GET, now);
    boolean waits = settings.pace().pausesDeliveries() || !keepsPace(now);
    Optional<NaiveEntry> head = waits ? Optional.empty() : firstUnexpired(now);
    head.ifPresent(
        entry -> {
          handedOut.add(now);
          hasHadTurn(entry);
          if (acknowledges) {
            entry.holder = getter;
            keepRounds();
          } else {
            acknowledged(entry, now);
          }
        });
    return head;
  }

  void reconfigure(QueueSettings changed, long now) {
    if (changed.expiry().messageTtlMillis() != settings.expiry().messageTtlMillis()
        || changed.expiry().ttlMode() != settings.expiry().ttlMode()
        || changed.expiry().floorMillis() != settings.expiry().floorMillis()) {
      if (!changed.expiry().retroactive()) {
        entries.stream().filter(entry -> entry.place >= keptBefore).forEach(this::keepDeadline);
      }
      keptBefore = changed.expiry().retroactive() ? 0 : places;
    }
    if (leaseIsHeld()) {
      lastUse = now;
    }
    if (!Objects.equals(changed.pace().deliveries(), settings.pace().deliveries())) {
      handedOut.clear();
    }
    if (changed.hasPriorities() != settings.hasPriorities()
        || !Objects.equals(changed.deliveries().fairBy(), settings.deliveries().fairBy())) {
      rounds.clear();
    }
    boolean stood = settings.pace().stopsTtl();
    settings = changed;
    if (!stood) {
      stoppedAt = now;
    } else if (!changed.pace().stopsTtl()) {
      entries.forEach(entry -> goOn(entry, now));
      removed.forEach(one -> goOn(one.entry, now));
    }
    entries.forEach(entry -> entry.deadline = deadline(entry));
    keepRounds();
    used(LeaseUse.POLICY, now);
    letGo(now);
    waiting().forEach(entry -> entry.watched = leavesByItself(entry) != NEVER);
    takenWithoutTime = 0;
    if (stood && !changed.pace().stopsTtl()) {
      dropWhatIsTooMuch(now);
      long before = ready().filter(entry -> beginsNow(entry, now)).count();
      goesOn = true;
      offer(now);
      goesOn = false;
      takenWithoutTime = before - ready().filter(entry -> beginsNow(entry, now)).count();
    }
    expireAllDue(now);
    dropWhatIsTooMuch(now);
    offer(now);
  }

  long takenWithoutTime() {
    return takenWithoutTime;
  }

  private boolean beginsNow(NaiveEntry entry, long now) {
    boolean ownCounts =
        settings.expiry().ttlMode() != TtlMode.QUEUE_ONLY || entry.place < keptBefore;
    return entry.deadline == now
        && entry.from == now
        && !(entry.absolute && entry.kept <= now && ownCounts);
  }

  private void keepDeadline(NaiveEntry entry) {
    entry.kept = NaiveDeadline.of(settings.expiry(), entry.kept, entry.from, false);
    entry.absolute &= settings.expiry().ttlMode() != TtlMode.QUEUE_ONLY;
  }

  void used(LeaseUse use, long now) {
    if (settings.lease().uses().contains(use)) {
      lastUse = now;
    }
  }

  private boolean leaseIsHeld() {
    return (!subscribers.isEmpty() && settings.lease().uses().contains(LeaseUse.CONSUME))
        || (entries.stream().anyMatch(entry -> entry.holder != null)
            && settings.lease().uses().contains(LeaseUse.UNACKED));
  }

  /** Gives ready messages to consumers, each of which has its turn. */
  private void offer(long now) {
    nextInRound();
    while (!isFull() && keepsPace(now) && nextInRound().isPresent()) {
      Optional<NaiveEntry> head = firstUnexpired(now);
      Optional<Subscriber> taker = head.isEmpty() ? Optional.empty() : nextWithRoom();
      if (taker.isEmpty()) {
        return;
      }
      deliver(head.get(), taker.get(), now);
    }
  }

  private Optional<NaiveEntry> firstUnexpired(long now) {
    Optional<NaiveEntry> head = head();
    while (head.isPresent()
        && now >= head.get().deadline
        && !(goesOn && beginsNow(head.get(), now))) {
      die(head.get(), DeathReason.EXPIRED, now);
      head = head();
    }
    return head;
  }

  /** The ready message whose turn it is. */
  private Optional<NaiveEntry> head() {
    if (isShared()) {
      int highest = ready().mapToInt(this::level).max().orElse(0);
      return ready().filter(entry -> isNextOf(highest, entry)).min(BY_PLACE);
    }
    return first(ready());
  }

  private static final Comparator<NaiveEntry> BY_PLACE = Comparator.comparing(entry -> entry.place);

  private boolean isShared() {
    return settings.deliveries().fairBy() != null;
  }

  private String share(NaiveEntry entry) {
    return entry.tenant.share(settings.deliveries().fairBy());
  }

  private boolean isNextOf(int level, NaiveEntry entry) {
    List<String> round = rounds.getOrDefault(level, List.of());
    return level(entry) == level && !round.isEmpty() && round.get(0).equals(share(entry));
  }

  /** To be called whenever one message has become ready, or some are not any more. */
  private void keepRounds() {
    if (!isShared()) {
      return;
    }
    for (Map.Entry<Integer, List<String>> round : rounds.entrySet()) {
      Set<String> here =
          ready()
              .filter(entry -> level(entry) == round.getKey())
              .map(this::share)
              .collect(Collectors.toSet());
      round.getValue().retainAll(here);
    }
    ready()
        .sorted(BY_PLACE)
        .forEach(
            entry -> {
              List<String> round = rounds.computeIfAbsent(level(entry), any -> new ArrayList<>());
              if (!round.contains(share(entry))) {
                round.add(share(entry));
              }
            });
  }

  private void hasHadTurn(NaiveEntry entry) {
    if (isShared() && isNextOf(level(entry), entry)) {
      Collections.rotate(rounds.get(level(entry)), -1);
    }
  }

  Map<String, Long> countsByShare() {
    return ready().collect(Collectors.groupingBy(this::share, Collectors.counting()));
  }

  private NaiveEntry firstOfLargest() {
    IntStream levels = ready().mapToInt(this::level);
    int level = (settings.length().dropsLowest() ? levels.min() : levels.max()).orElseThrow();
    Map<String, List<NaiveEntry>> shares =
        ready()
            .filter(entry -> level(entry) == level)
            .sorted(BY_PLACE)
            .collect(Collectors.groupingBy(this::share));
    return shares.values().stream()
        .min(
            Comparator.comparing((List<NaiveEntry> share) -> -share.size())
                .thenComparing(share -> share.get(0).place))
        .orElseThrow()
        .get(0);
  }

  private Optional<NaiveEntry> headOfLowest() {
    int lowest = ready().mapToInt(this::level).min().orElse(0);
    return first(ready().filter(entry -> level(entry) == lowest));
  }

  private Optional<NaiveEntry> first(Stream<NaiveEntry> entries) {
    return entries.min(
        Comparator.comparing((NaiveEntry entry) -> -level(entry))
            .thenComparing(entry -> entry.ticket)
            .thenComparing(entry -> entry.place));
  }

  private int level(NaiveEntry entry) {
    if (!settings.hasPriorities()) {
      return 0;
    }
    int absent = settings.type() == QueueType.QUORUM ? 4 : 0;
    return entry.priority < 0 ? absent : Math.min(entry.priority, settings.maxPriority());
  }

  Map<Integer, Long> countsByPriority() {
    return ready().collect(Collectors.groupingBy(this::level, Collectors.counting()));
  }

  long returnedCount() {
    return ready().filter(entry -> entry.ticket != NEVER).count();
  }

  /** A message was away for a moment. */
  void putBack(NaiveEntry entry, long now) {
    entries.remove(entry);
    keepRounds();
    entries.add(entry);
    entries.sort(BY_PLACE);
    keepRounds();
    dropWhatIsTooMuch(now);
    offer(now);
  }

  void extract(NaiveEntry entry) {
    leave(entry);
  }

  private Optional<Subscriber> nextInRound() {
    for (Subscriber subscriber : subscribers) {
      if (!canTake(subscriber)) {
        subscriber.ticket = 0;
      } else if (subscriber.ticket == 0) {
        subscriber.ticket = ++lastTicket;
      }
    }
    return subscribers.stream()
        .filter(this::canTake)
        .min(Comparator.comparing((Subscriber subscriber) -> subscriber.ticket));
  }

  private Optional<Subscriber> nextWithRoom() {
    Optional<Subscriber> next = nextInRound();
    while (next.isPresent() && next.get().room == 0) {
      next.get().saidNoRoom = true;
      next = nextInRound();
    }
    return next;
  }

  private void deliver(NaiveEntry entry, Subscriber taker, long now) {
    handedOut.add(now);
    taker.room--;
    taker.ticket = ++lastTicket;
    hasHadTurn(entry);
    if (taker.acknowledges) {
      entry.holder = taker;
      keepRounds();
      taker.held++;
    } else {
      acknowledged(entry, now);
    }
    nextInRound();
    log.delivered(taker.number, entry.number, taker.acknowledges, entry.redelivered, told(entry));
  }

  /** How often it was returned, if that is reported. */
  long told(NaiveEntry entry) {
    int deliveries = settings.deliveries().countsEachReturn() ? 0 : entry.returns;
    return settings.countsReturns() ? DeliveryCount.of(deliveries, entry.failures) : 0;
  }

  void acknowledge(List<NaiveEntry> settled, long now) {
    used(LeaseUse.UNACKED, now);
    settled.forEach(
        entry -> {
          entry.holder.held--;
          acknowledged(entry, now);
        });
    offer(now);
  }

  void reject(List<NaiveEntry> settled, long now) {
    used(LeaseUse.UNACKED, now);
    settled.forEach(
        entry -> {
          entry.holder.held--;
          die(entry, DeathReason.REJECTED, now);
        });
    offer(now);
  }

  void requeue(List<NaiveEntry> settled, boolean failed, long now) {
    used(LeaseUse.UNACKED, now);
    settled.forEach(
        entry -> {
          entry.holder.held--;
          entry.holder = null;
          entry.redelivered = true;
          if (settings.countsReturns()) {
            entry.returns++;
            entry.failures += failed || settings.deliveries().countsEachReturn() ? 1 : 0;
          }
          if (settings.deliveries().limit() >= 0
              && entry.failures > settings.deliveries().limit()) {
            die(entry, DeathReason.DELIVERY_LIMIT, now);
          } else if (now >= entry.deadline) {
            die(entry, DeathReason.EXPIRED, now);
          } else if (NaiveDelay.waits(settings.deliveries().retry(), failed)) {
            long delay =
                NaiveDelay.millis(settings.deliveries().retry(), entry.returns, entry.failures);
            entry.waitsUntil = now + delay + 1;
            entry.watched = leavesByItself(entry) < entry.waitsUntil;
          } else {
            comeBack(entry);
          }
        });
    dropWhatIsTooMuch(now);
    offer(now);
  }

  /** As if they had never been handed out. */
  void release(List<NaiveEntry> settled, long now) {
    used(LeaseUse.UNACKED, now);
    settled.forEach(
        entry -> {
          entry.holder.held--;
          entry.holder = null;
          if (now >= entry.deadline) {
            die(entry, DeathReason.EXPIRED, now);
          } else if (entry.redelivered) {
            comeBack(entry);
          } else {
            keepRounds();
          }
        });
    dropWhatIsTooMuch(now);
    offer(now);
  }

  private void comeBack(NaiveEntry entry) {
    if (settings.type() == QueueType.QUORUM) {
      entry.ticket = ++lastReturn;
    }
    keepRounds();
  }

  private void endWaits(long now) {
    waiting()
        .filter(entry -> entry.watched && now >= entry.deadline)
        .sorted(Comparator.comparing((NaiveEntry entry) -> entry.deadline))
        .toList()
        .forEach(entry -> die(entry, DeathReason.EXPIRED, now));
    waiting()
        .filter(entry -> now >= entry.waitsUntil)
        .sorted(Comparator.comparing((NaiveEntry entry) -> entry.waitsUntil))
        .toList()
        .forEach(
            entry -> {
              entry.waitsUntil = 0;
              if (now >= entry.deadline) {
                die(entry, DeathReason.EXPIRED, now);
              } else {
                comeBack(entry);
              }
            });
    dropWhatIsTooMuch(now);
    offer(now);
  }

  private long leavesByItself(NaiveEntry waiting) {
    return settings.expiry().mode() == ExpiryMode.EXACT ? waiting.deadline : NEVER;
  }

  private Stream<NaiveEntry> waiting() {
    return entries.stream().filter(NaiveEntry::isWaiting);
  }

  long waitingCount() {
    return waiting().count();
  }

  /** When something happens to the first one that waits. */
  long earliestEndOfWait() {
    return waiting()
        .mapToLong(entry -> Math.min(leavesByItself(entry), entry.waitsUntil))
        .min()
        .orElse(NEVER);
  }

  long purge(long now) {
    expireAllDue(now);
    List<NaiveEntry> purged =
        entries.stream()
            .filter(this::isPurged)
            .sorted(Comparator.comparing((NaiveEntry entry) -> !entry.isWaiting()))
            .toList();
    purged.forEach(entry -> purged(entry, now));
    return purged.size();
  }

  long purgeSome(QueueCommand.PurgeSome purge, long now) {
    List<NaiveEntry> purged =
        ready()
            .filter(entry -> now < entry.deadline && entry.arrival <= now - purge.olderThan())
            .sorted(Comparator.comparing((NaiveEntry entry) -> entry.place))
            .limit(purge.count())
            .toList();
    purged.forEach(entry -> purged(entry, now));
    return purged.size();
  }

  private boolean isPurged(NaiveEntry entry) {
    return entry.isReady() || (settings.deliveries().retriesCount() && entry.isWaiting());
  }

  void onTimer(long now) {
    if (now >= leaseEnd()) {
      if (!settings.lease().onlyIfEmpty() || entries.isEmpty()) {
        log.leaseEnded();
        return;
      }
      lastUse = now;
    }
    expireAllDue(now);
    letGo(now);
    endWaits(now);
  }

  long leaseEnd() {
    return !leaseIsHeld() && settings.lease().expiresMillis() >= 0
        ? lastUse + settings.lease().expiresMillis() + 1
        : NEVER;
  }

  /** When the first of the ready messages that leave by themselves is due. */
  long earliestDeadline() {
    return switch (settings.expiry().mode()) {
      case EXACT -> ready().mapToLong(entry -> entry.deadline).min().orElse(NEVER);
      case HEAD -> head().map(entry -> entry.deadline).orElse(NEVER);
      case LAZY -> NEVER;
    };
  }

  boolean isOverLimit() {
    return readyCount() > 0 && exceeds(0, 0);
  }

  /** Whether a consumer could be given a message now. */
  boolean canDeliver(long now) {
    return keepsPace(now) && isWaitedFor();
  }

  /** When one could be given a message next, if time is all that keeps it from that. */
  long nextByPace(long now) {
    long next = now;
    while (isWaitedFor() && !keepsPace(next)) {
      next++;
    }
    return isWaitedFor() && readyCount() > 0 ? next : NEVER;
  }

  private boolean isWaitedFor() {
    return !isFull() && subscribers.stream().anyMatch(this::canTake);
  }

  private boolean canTake(Subscriber subscriber) {
    return subscriber.canTake(settings.deliveries().prefetchMax());
  }

  /** Whether all together hold as many messages as they may. */
  private boolean isFull() {
    long most = settings.deliveries().unackedMax();
    return settings.pace().pausesDeliveries() || isFullBy(most);
  }

  private boolean isFullBy(long most) {
    return most >= 0 && entries.stream().filter(entry -> entry.holder != null).count() >= most;
  }

  /** Whether one more message is within the rate, and within the burst since any earlier one. */
  private boolean keepsPace(long now) {
    PaceSettings.Rate rate = settings.pace().deliveries();
    if (rate == null) {
      return true;
    }
    long within = handedOut.stream().filter(time -> time > now - 1000).count();
    for (int i = 0; i < handedOut.size(); i++) {
      long since = handedOut.size() - i + 1L;
      if (since * 1000 > rate.burst() * 1000 + (now - handedOut.get(i)) * rate.perSecond()) {
        return false;
      }
    }
    return within < rate.perSecond();
  }

  List<NaiveEntry> heldBy(Subscriber subscriber) {
    return entries.stream().filter(entry -> entry.holder == subscriber).toList();
  }

  List<NaiveEntry> entries() {
    return entries;
  }

  private Stream<NaiveEntry> ready() {
    return entries.stream().filter(NaiveEntry::isReady);
  }

  long readyCount() {
    return ready().count();
  }

  long readyBytes() {
    return ready().mapToLong(entry -> entry.size).sum();
  }

  int consumerCount() {
    return subscribers.size();
  }
}
