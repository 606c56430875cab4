package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.cluster.replication.ReplicationTimes;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.LeaderChange;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reports of replicas that know no leader. Any thread may call.
 *
 * <p>Brings reports of replicas to the node that leads the decisions of the cluster, and takes
 * those of other nodes.
 *
 * <p>A report that is lost is repeated by the replica. But a node that ends may have led both the
 * decisions and a partition: the replicas report at once, before there is a node that could take
 * the report. So reports are sent again to a node that begins to lead, if they are not older than
 * the next one would be.
 */
final class LeaderlessReports implements ConsensusListener {
  private static final Logger LOGGER = LoggerFactory.getLogger(LeaderlessReports.class);
  private static final int LIMIT_MILLIS = 1_000;

  private record Sent(Leaderless report, long atMillis) {}

  private final String self;
  private final NodeCalls calls;
  private final Consumer<Leaderless> elections;
  private final LongSupplier monotonicMillis;
  private final Map<Integer, Sent> sent = new ConcurrentHashMap<>();
  private volatile String leader;

  /**
   * @param self the name of this node
   * @param elections takes reports on this node
   */
  LeaderlessReports(
      String self, NodeCalls calls, Consumer<Leaderless> elections, LongSupplier monotonicMillis) {
    this.self = self;
    this.calls = calls;
    this.elections = elections;
    this.monotonicMillis = monotonicMillis;
  }

  /**
   * Takes the reports of other nodes from now on: once.
   *
   * @param numbers returns the number of the member of a name, -1 if there is none
   */
  void serve(ToIntFunction<String> numbers) {
    calls.serve(
        CallService.LEADERLESS,
        (node, request) -> {
          Leaderless report = LeaderlessCodec.decode(request);
          if (report.replica() != numbers.applyAsInt(node)) {
            throw new IllegalArgumentException(
                "node '%s' reports for node number %d".formatted(node, report.replica()));
          }
          elections.accept(report);
          return CompletableFuture.completedFuture(new byte[0]);
        });
  }

  /** Sends a report of a replica on this node, once. */
  void report(Leaderless report) {
    sent.put(report.partition(), new Sent(report, monotonicMillis.getAsLong()));
    send(report);
  }

  private void send(Leaderless report) {
    String to = leader;
    if (self.equals(to)) {
      elections.accept(report);
    } else if (to != null) {
      calls
          .call(to, CallService.LEADERLESS, LeaderlessCodec.encode(report), LIMIT_MILLIS)
          .whenComplete(
              (taken, failure) -> {
                if (failure != null) {
                  LOGGER.debug(
                      "a report did not reach node {}: {}", to, Causes.of(failure).getMessage());
                }
              });
    }
  }

  @Override
  public void leaderChanged(LeaderChange change) {
    leader = change.leader();
    long now = monotonicMillis.getAsLong();
    sent.values().removeIf(each -> now - each.atMillis() > ReplicationTimes.USUAL.heartbeat());
    sent.values().forEach(each -> send(each.report()));
  }
}
