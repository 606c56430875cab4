package io.mayflymq.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.disk.MemoryHost;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Replicas of one partition on disks in memory, by the rules of replication: who leads, what is
 * committed, who is cut and who takes over. What each of them has is compared with what the
 * leader's queues had at the end of the same burst.
 */
final class ReplicasOnDisk {
  private static final int NODES = 3;

  /** What the queues had at the end of a burst, and what it has changed. */
  private record Ended(ReplicaContents contents, ByteBuffer content) {}

  private final Random random;
  private final List<Member> members = new ArrayList<>();
  private final Map<BurstId, Ended> ended = new HashMap<>(Map.of(BurstId.NONE, NOTHING));
  private final Set<Member> inSync = new TreeSet<>();
  private final Set<Long> queueIds = new TreeSet<>(Set.of(1L, 2L, 3L));
  private long epoch;
  private long firstOfEpoch;
  private long committed;
  private Member leader;
  private int messages;
  private long sequences;
  private long nextQueueId = 4;

  private static final Ended NOTHING = new Ended(ReplicaContents.NONE, ByteBuffer.allocate(0));

  /** A node, and what it does now. */
  private final class Member implements Comparable<Member> {
    final int number;
    ReplicaNode node = new ReplicaNode(new MemoryHost());

    /** The names of the bursts that it has. */
    final List<BurstId> ids = new ArrayList<>();

    /** Whether it is sent bursts of the leader of this epoch. */
    boolean follows;

    /** What it is to be given of a copy; null if it does not take over. */
    ArrayDeque<Runnable> parts;

    ReplicaCopy copy;

    Member(int number) {
      this.number = number;
    }

    @Override
    public int compareTo(Member other) {
      return Integer.compare(number, other.number);
    }

    BurstId last() {
      return ids.isEmpty() ? BurstId.NONE : ids.get(ids.size() - 1);
    }

    void assertSame() {
      assertThat(node.replica.last()).isEqualTo(last());
      for (BurstId id : ids) {
        assertThat(node.replica.history().epochOf(id.number()))
            .as("%s, or what is before a copy", id)
            .isIn(id.epoch(), 0L);
      }
      assertThat(node.replica.history().last(last().number())).isEqualTo(last());
    }

    void append(Burst burst) {
      node.replica.append(burst);
      ids.add(burst.id());
    }

    long appendAsLeader(ByteBuffer content) {
      BurstId id = new BurstId(ids.get(ids.size() - 1).epoch(), last().number() + 1);
      append(new Burst(id, content));
      ended.put(id, new Ended(node.contents(), content));
      if (this == leader) {
        ofBurst.forEach(commit -> commit.number = id.number());
        ofBurst.clear();
      }
      return id.number();
    }

    void restart(MemoryHost host) {
      stopFollowing();
      node = new ReplicaNode(host);
      int last = (int) node.replica.last().number();
      assertThat(last).isLessThanOrEqualTo(ids.size());
      ids.subList(last, ids.size()).clear();
      assertSame();
    }

    void stopFollowing() {
      follows = false;
      parts = null;
      if (copy != null) {
        copy.cancel();
        copy = null;
      }
    }

    /** What the disk has after a crash is what the queues had at the end of a burst. */
    void verify(boolean isKill) {
      long least = node.forced;
      MemoryHost after =
          isKill
              ? node.host.afterKill()
              : node.host.afterPowerLoss(random, random.nextInt(3) / 2.0);
      ReplicaNode started = new ReplicaNode(after);
      BurstId last = started.replica.last();
      assertThat(last.number()).isBetween(least, last().number());
      assertThat(last)
          .isEqualTo(last.number() == 0 ? BurstId.NONE : ids.get((int) last.number() - 1));
      Set<Long> all = new TreeSet<>(queueIds);
      ReplicaContents expected = ended.get(last).contents;
      expected.messages().keySet().forEach(key -> all.add(key.queueId()));
      started.contentsAtStart(all).assertEqualTo(expected);
    }
  }

  /** A commit of a leader, which is told when the burst is committed. */
  private final class Waiting implements Commit {
    final ReplicaNode of = leader.node;

    /** The burst that it waits for; 0 before that has ended. */
    long number;

    private boolean isTold;

    @Override
    public void safe() {
      assertThat(isTold).isFalse();
      assertThat(leader.node).as("told by one that leads").isSameAs(of);
      assertThat(number == 0 ? leader.last().number() : number).isLessThanOrEqualTo(committed);
      isTold = true;
    }

    @Override
    public void failed() {
      assertThat(isTold).isFalse();
      isTold = true;
    }
  }

  private final List<Waiting> ofBurst = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();

  ReplicasOnDisk(Random random) {
    this.random = random;
    for (int i = 0; i < NODES; i++) {
      members.add(new Member(i));
    }
    inSync.addAll(members);
  }

  void step() {
    Member member = members.get(random.nextInt(NODES));
    switch (random.nextInt(24)) {
      case 0 -> elect();
      case 1, 2, 3, 4, 5, 6, 7 -> work(member);
      case 8, 9, 10, 11 -> members.forEach(this::replicate);
      case 12, 13, 14 -> member.node.runDisk();
      case 15 -> member.node.tick();
      case 16, 17 -> connect(member);
      case 18 -> takeOver(member);
      case 19, 20 -> takePart(member);
      case 21 -> crash(member);
      case 22 -> member.verify(random.nextBoolean());
      default -> commit();
    }
  }

  private void elect() {
    List<Member> candidates = inSync.stream().filter(each -> !each.node.leads()).toList();
    if (candidates.isEmpty()) {
      return;
    }
    Member elected = candidates.get(random.nextInt(candidates.size()));
    assertThat(elected.last().number()).isGreaterThanOrEqualTo(committed);
    leader = elected;
    members.forEach(Member::stopFollowing);
    epoch++;
    Burst first = new Burst(new BurstId(epoch, leader.last().number() + 1), ByteBuffer.allocate(0));
    firstOfEpoch = first.id().number();
    ended.put(first.id(), new Ended(ended.get(leader.last()).contents, first.content()));
    leader.ids.add(first.id());
    ofBurst.clear();
    Member leading = leader;
    leader.node.lead(first, queueIds, leading::appendAsLeader);
    leader.assertSame();
  }

  /** Clients of a leader are served, perhaps of one that does not know that there is another. */
  private void work(Member member) {
    if (!member.node.leads()) {
      return;
    }
    member.node.burst(
        () -> {
          int times = 1 + random.nextInt(8);
          for (int i = 0; i < times; i++) {
            work(member.node);
          }
          if (member == leader && random.nextInt(3) == 0) {
            Waiting commit = new Waiting();
            ofBurst.add(commit);
            waiting.add(commit);
            member.node.commit(commit);
          }
        });
    ofBurst.forEach(commit -> commit.number = member.last().number());
    ofBurst.clear();
  }

  private void work(ReplicaNode node) {
    if (node.queues.isEmpty()) {
      return;
    }
    List<Long> ids = List.copyOf(node.queues.keySet());
    long queue = ids.get(random.nextInt(ids.size()));
    long other = ids.get(random.nextInt(ids.size()));
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4 ->
          node.publish(
              queue, sequences++, messages++, random.nextInt(random.nextInt(20) == 0 ? 6000 : 200));
      case 5, 6, 7, 8 -> node.settle(queue, random);
      case 9 -> node.move(queue, other, sequences++, random);
      case 10 -> node.await(queue, random);
      case 11 -> node.settleAwaited();
      case 12 -> node.deliver(queue);
      case 13 -> node.comeBack(queue, random);
      case 14 -> node.applyBatch();
      default -> {
        if (random.nextInt(10) == 0) {
          node.forget(queue);
          queueIds.remove(queue);
          long created = nextQueueId++;
          queueIds.add(created);
          node.open(created);
        }
      }
    }
  }

  // Followers

  private boolean isOther(Member member) {
    return leader != null && leader.node.leads() && member != leader;
  }

  private void connect(Member member) {
    if (!isOther(member) || member.follows || member.parts != null) {
      return;
    }
    if (member.node.leads()) {
      member.node.follow();
      member.assertSame();
    }
    long common =
        leader
            .node
            .replica
            .history()
            .agreement(
                leader.last().number(), member.node.replica.history(), member.last().number());
    boolean isAtHand = common == leader.last().number() || (common >= 0 && has(common + 1));
    if (!isAtHand) {
      beginTakeOver(member);
    } else {
      if (common < member.last().number()) {
        member.node.burstWithDisk(() -> member.node.replica.cutAfter(common, epoch));
        member.ids.subList((int) common, member.ids.size()).clear();
        member.node.forced = Math.min(member.node.forced, common);
        member.node.tick();
        assertThat(member.node.forced).isEqualTo(common);
        assertThat(member.node.replica.epoch()).isGreaterThanOrEqualTo(epoch);
      }
      member.follows = true;
    }
    member.assertSame();
  }

  /** Whether the leader can send a burst: from memory, or from its log. */
  private boolean has(long number) {
    return leader.node.read(number) != null || random.nextBoolean();
  }

  /**
   * Returns a burst that the leader sends: as it was made, or as its log has it, which may have
   * other records for the same changes if it was taken from an earlier leader.
   */
  private ByteBuffer sent(BurstId id) {
    ByteBuffer made = ended.get(id).content.duplicate();
    ByteBuffer read = random.nextBoolean() ? leader.node.read(id.number()) : null;
    return read == null ? made : read;
  }

  private void replicate(Member member) {
    if (!isOther(member) || !member.follows) {
      return;
    }
    member.node.burst(
        () -> {
          int most = random.nextInt(4);
          for (int i = 0; i < most && member.ids.size() < leader.ids.size(); i++) {
            BurstId id = leader.ids.get(member.ids.size());
            member.append(new Burst(id, sent(id)));
          }
          if (random.nextBoolean()) {
            member.node.replica.committed(committed);
          }
        });
    member.assertSame();
  }

  private void takeOver(Member member) {
    if (isOther(member) && !member.node.leads() && member.parts == null && mayLeave(member)) {
      beginTakeOver(member);
    }
  }

  private boolean mayLeave(Member member) {
    return !inSync.contains(member) || inSync.size() == NODES;
  }

  private void beginTakeOver(Member member) {
    if (mayLeave(member)) {
      inSync.remove(member);
    }
    member.stopFollowing();
    ArrayDeque<Runnable> parts = new ArrayDeque<>();
    member.parts = parts;
    member.node.burstWithDisk(member.node.replica::takingOver);
    Member source = leader;
    LogCopySink sink =
        new LogCopySink() {
          @Override
          public boolean isWritable() {
            return random.nextBoolean();
          }

          @Override
          public void part(ByteBuffer content) {
            parts.add(() -> member.node.replica.take(content.duplicate()));
          }

          @Override
          public void end() {
            BurstId last = source.last();
            List<BurstId> ids = List.copyOf(source.ids);
            EpochHistory history = source.node.replica.history();
            parts.add(
                () -> {
                  member.node.replica.takenOver(last, history);
                  member.ids.clear();
                  member.ids.addAll(ids);
                  member.node.forced = 0;
                  member.stopFollowing();
                  member.follows = true;
                });
          }

          @Override
          public void failed(String reason) {
            assertThat(reason).contains("leads no more");
          }
        };
    source.node.burst(
        () -> member.copy = source.node.replica.copy(sink, member.node.replica.streamEnds()));
  }

  private void takePart(Member member) {
    ArrayDeque<Runnable> parts = member.parts;
    for (int i = random.nextInt(6); parts != null && member.parts == parts && i > 0; i--) {
      Runnable part = parts.poll();
      if (part != null) {
        member.node.burstWithDisk(part);
        member.assertSame();
      }
    }
  }

  private void crash(Member member) {
    if (random.nextInt(3) > 0) {
      return;
    }
    boolean isKill = random.nextBoolean();
    if (member == leader) {
      leader = null;
      members.forEach(Member::stopFollowing);
    }
    member.verify(isKill);
    member.restart(
        isKill
            ? member.node.host.afterKill()
            : member.node.host.afterPowerLoss(random, random.nextInt(3) / 2.0));
  }

  /** By what the replicas in sync have forced; another one is in sync when it has as much. */
  private void commit() {
    if (leader == null || !leader.node.leads()) {
      return;
    }
    long number = leader.node.forced;
    for (Member member : inSync) {
      number = Math.min(number, ofLeader(member));
    }
    if (number >= firstOfEpoch && number > committed) {
      committed = number;
      long known = number;
      Member leading = leader;
      leader.node.burst(() -> leading.node.replica.committed(known));
    }
    for (Member member : members) {
      if (ofLeader(member) >= Math.max(firstOfEpoch, committed)) {
        inSync.add(member);
      }
    }
  }

  /** Returns what a replica has forced of what its leader has. */
  private long ofLeader(Member member) {
    return member == leader || member.follows ? member.node.forced : 0;
  }

  /** All that the leader has comes to all replicas. */
  void end() {
    if (leader == null) {
      elect();
    }
    for (int rounds = 0; rounds < 300; rounds++) {
      for (Member member : members) {
        connect(member);
        replicate(member);
        takePart(member);
        member.node.tick();
        member.node.runDisk();
      }
      commit();
      boolean isSame =
          members.stream().allMatch(member -> member.last().equals(leader.last()))
              && inSync.size() == NODES
              && committed == leader.last().number();
      if (isSame) {
        members.forEach(member -> member.verify(true));
        waiting.forEach(commit -> assertThat(commit.isTold || commit.of != leader.node).isTrue());
        return;
      }
    }
    throw new AssertionError("the replicas have not become the same");
  }
}
