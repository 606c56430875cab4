package io.mayflymq.server.cluster.replication;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Has other replicas lead. Any thread may call.
 *
 * <p>A leader hands over when it is asked to: by this class on its own node, which another node may
 * ask. Then it proposes the successor, when that has all that the leader has. The node that has
 * asked knows by the assignment that it has happened. A leader that cannot hand over ends leading
 * after the time of a lease, and one is elected: perhaps another one than was wanted.
 */
final class LeaderTransfers {
  private static final int LIMIT_MILLIS = 10_000;

  /** Has the replica of a partition on this node hand over to the one on another node. */
  interface HandOver {
    /** Returns whether this node has led, and began to hand over. */
    CompletableFuture<Boolean> begin(int partition, int to);
  }

  private record Awaited(int partition, long epoch, CompletableFuture<Assignment> next) {}

  private final ReplicaControl.Node node;
  private final ReplicaNodes nodes;
  private final NodeCalls calls;
  private final HandOver handOver;
  private final Queue<Awaited> awaited = new ConcurrentLinkedQueue<>();

  LeaderTransfers(
      ReplicaControl.Node node, ReplicaNodes nodes, NodeCalls calls, HandOver handOver) {
    this.node = node;
    this.nodes = nodes;
    this.calls = calls;
    this.handOver = handOver;
  }

  /** Hands over for other nodes, and learns of new leaders, from now on: once. */
  void serve() {
    node.partitions().listen(this::assigned);
    calls.serve(CallService.HAND_OVER, (other, request) -> answer(request));
  }

  private CompletableFuture<byte[]> answer(byte[] request) {
    ByteReader in = new ByteReader(request, request.length);
    int partition = Math.toIntExact(in.number());
    int to = Math.toIntExact(in.number());
    return handOver.begin(partition, to).thenApply(LeaderTransfers::encoded);
  }

  private static byte[] encoded(boolean begun) {
    ByteWriter out = new ByteWriter().bit(begun);
    return Arrays.copyOf(out.bytes(), out.size());
  }

  private void assigned(int partition, Assignment assignment) {
    awaited.removeIf(
        each -> {
          boolean isOver = each.partition == partition && assignment.epoch() > each.epoch;
          if (isOver) {
            each.next.complete(assignment);
          }
          return isOver || each.next.isDone();
        });
  }

  /**
   * Has a replica lead.
   *
   * @param to the number of its node
   * @return as {@link io.mayflymq.core.vhost.ReplicaOperations#transfer}
   */
  CompletableFuture<Void> transfer(int partition, int to) {
    Assignment assignment = node.partitions().all().get(partition);
    if (assignment.leader() == to) {
      return CompletableFuture.completedFuture(null);
    }
    if (!assignment.replicas().contains(to)) {
      return refused("node '%s' keeps no replica of it".formatted(nodes.name(to)));
    }
    if (!assignment.inSync().contains(to)) {
      return refused("the replica on node '%s' is not in sync".formatted(nodes.name(to)));
    }
    for (int needed : List.of(to, assignment.leader())) {
      if (!nodes.reachable().contains(needed)) {
        return refused("node '%s' cannot be reached".formatted(nodes.name(needed)));
      }
    }
    CompletableFuture<Assignment> next = new CompletableFuture<>();
    awaited.add(new Awaited(partition, assignment.epoch(), next));
    Assignment meanwhile = node.partitions().all().get(partition);
    if (meanwhile.epoch() > assignment.epoch()) {
      next.complete(meanwhile); // It may have been told before that was awaited.
    }
    begin(partition, assignment.leader(), to)
        .whenComplete(
            (begun, failure) -> {
              if (failure != null) {
                next.completeExceptionally(refusal(Causes.of(failure).getMessage()));
              } else if (!begun) {
                next.completeExceptionally(
                    refusal(
                        "node '%s' does not lead it yet"
                            .formatted(nodes.name(assignment.leader()))));
              }
            });
    return next.completeOnTimeout(assignment, LIMIT_MILLIS, TimeUnit.MILLISECONDS)
        .thenAccept(
            after -> {
              if (after.leader() != to) {
                throw refusal("node '%s' leads it".formatted(nodes.name(after.leader())));
              }
            });
  }

  private CompletableFuture<Boolean> begin(int partition, int leader, int to) {
    if (leader == node.self().number()) {
      return handOver.begin(partition, to);
    }
    ByteWriter request = new ByteWriter().number(partition).number(to);
    return calls
        .call(
            nodes.name(leader),
            CallService.HAND_OVER,
            Arrays.copyOf(request.bytes(), request.size()),
            LIMIT_MILLIS)
        .thenApply(answer -> new ByteReader(answer, answer.length).bit());
  }

  /**
   * Returns the node that is to lead a partition in place of the present one: of those in sync that
   * are there, and not in maintenance mode, the one that leads the fewest partitions.
   */
  Optional<Integer> successor(Assignment assignment) {
    return successor(assignment, leading());
  }

  private Optional<Integer> successor(Assignment assignment, Map<Integer, Integer> leading) {
    return assignment.replicas().stream()
        .filter(replica -> replica != assignment.leader() && assignment.inSync().contains(replica))
        .filter(replica -> nodes.candidates().contains(replica))
        .min(Comparator.comparingInt(replica -> leading.getOrDefault(replica, 0)));
  }

  private Map<Integer, Integer> leading() {
    Map<Integer, Integer> leading = new HashMap<>();
    node.partitions()
        .all()
        .values()
        .forEach(assignment -> leading.merge(assignment.leader(), 1, Integer::sum));
    return leading;
  }

  /**
   * Has other nodes lead all that this node leads, if there are any in sync.
   *
   * @return done when they do; fails with what went wrong first
   */
  CompletableFuture<Void> transferAll() {
    Map<Integer, Integer> leading = leading();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    node.partitions()
        .all()
        .forEach(
            (partition, assignment) -> {
              if (assignment.leader() == node.self().number()) {
                successor(assignment, leading)
                    .ifPresent(
                        to -> {
                          leading.merge(to, 1, Integer::sum);
                          all.add(transfer(partition, to));
                        });
              }
            });
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> refused(String why) {
    return CompletableFuture.failedFuture(refusal(why));
  }

  private static ChannelException refusal(String why) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, why);
  }
}
