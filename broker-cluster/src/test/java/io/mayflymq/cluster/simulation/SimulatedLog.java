package io.mayflymq.cluster.simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/*
 * The replicated log: a list. A proposal is added when its node reaches a majority and its turn has come. One that is not added in time fails, and may be
 * added later all the same, as may one whose process has ended. A node sees what is added as long as it reaches a majority.
 */
/** The log that all nodes of a cluster apply, whose entries are added when it is told so. */
final class SimulatedLog {
  static final long PROPOSAL_MILLIS = 10_000;

  private record Proposal(
      NodeProcess from, ByteBuffer entry, long latestMillis, CompletableFuture<Void> added) {}

  private final SimulatedCluster cluster;
  private final List<ByteBuffer> entries = new ArrayList<>();
  private final Deque<Proposal> proposals = new ArrayDeque<>();

  /** Those that were told to have failed, or whose process has ended, and may be added. */
  private final Deque<ByteBuffer> doubtful = new ArrayDeque<>();

  private boolean held;

  SimulatedLog(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  int size() {
    return entries.size();
  }

  /** Nothing is agreed upon from now on, as if the leader of the decisions hung; or it is again. */
  void hold(boolean now) {
    held = now;
  }

  private void add(ByteBuffer entry) {
    cluster.trace().agreed(entries.size(), entry.capacity());
    entries.add(entry);
  }

  byte[] entry(int index) {
    return entries.get(index).array();
  }

  CompletableFuture<Void> propose(NodeProcess from, byte[] entry) {
    CompletableFuture<Void> added = new CompletableFuture<>();
    proposals.addLast(
        new Proposal(
            from, ByteBuffer.wrap(entry), cluster.elapsedMillis() + PROPOSAL_MILLIS, added));
    return added;
  }

  /** A proposal of a node that reaches a majority is added. Returns whether there was one. */
  boolean commit(Random random) {
    if (held) {
      return false;
    }
    if (!doubtful.isEmpty() && random.nextInt(4) == 0 && cluster.hasMajority()) {
      add(doubtful.removeFirst());
      return true;
    }
    List<Proposal> possible =
        proposals.stream().filter(each -> cluster.reachesMajority(each.from.node())).toList();
    if (possible.isEmpty()) {
      return false;
    }
    Proposal next = possible.get(random.nextInt(possible.size()));
    proposals.remove(next);
    add(next.entry);
    next.from.inBackground(() -> next.added.complete(null));
    return true;
  }

  /** A proposal fails for its node, and is added, may be added later, or not. */
  void lose(Random random) {
    if (!proposals.isEmpty()) {
      Proposal next = proposals.removeFirst();
      if (random.nextBoolean() && !held && cluster.reachesMajority(next.from.node())) {
        add(next.entry);
      } else if (random.nextBoolean()) {
        doubtful.addLast(next.entry);
      }
      fail(next);
    }
  }

  private static void fail(Proposal proposal) {
    proposal.from.inBackground(
        () -> proposal.added.completeExceptionally(new IOException("no majority")));
  }

  /** Time has passed: what is late fails. */
  void expire(Random random) {
    Iterator<Proposal> each = proposals.iterator();
    while (each.hasNext()) {
      Proposal proposal = each.next();
      if (proposal.latestMillis <= cluster.elapsedMillis()) {
        each.remove();
        doubt(proposal, random);
        fail(proposal);
      }
    }
  }

  /** A process has ended: what it has proposed is known to others, or not. */
  void ended(NodeProcess process, Random random) {
    proposals.removeIf(
        proposal -> {
          boolean isItsOwn = proposal.from == process;
          if (isItsOwn) {
            doubt(proposal, random);
          }
          return isItsOwn;
        });
  }

  private void doubt(Proposal proposal, Random random) {
    if (random.nextBoolean()) {
      doubtful.addLast(proposal.entry);
    }
  }

  /** What may be added or not is decided: half of it is added. */
  void decide(Random random) {
    doubtful.forEach(
        entry -> {
          if (random.nextBoolean()) {
            add(entry);
          }
        });
    doubtful.clear();
  }

  /** Returns whether no proposal waits. */
  boolean isIdle() {
    return proposals.isEmpty();
  }
}
