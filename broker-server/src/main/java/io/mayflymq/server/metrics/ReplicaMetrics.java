package io.mayflymq.server.metrics;

import io.mayflymq.cluster.partition.ReplicaSnapshot;
import io.mayflymq.cluster.partition.ReplicaStats;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.vhost.ReplicaState;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** The replicas of partitions on this node: each partition has the queues that RabbitMQ labels. */
final class ReplicaMetrics {
  /** RabbitMQ's name of the family of replicated logs. */
  public static final String RAFT = "ra_metrics";

  private static final String PARTITION = "partition";
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;

  private record Replica(ReplicaStats figures) implements Metric.Labelled {
    @Override
    public Labels labels() {
      return Labels.of("ra_system", "quorum_queues", PARTITION, number(figures.partition()));
    }

    ReplicaState state() {
      return figures.state();
    }
  }

  private static String number(int partition) {
    return Integer.toString(partition);
  }

  /** Names and types are those of RabbitMQ 3.13. */
  private static final List<Metric<Replica>> RAFT_METRICS =
      List.of(
          Metric.counter(
              "raft_term_total",
              "Epoch of a replicated partition.",
              replica -> replica.state().epoch()),
          Metric.gauge(
              "raft_log_last_applied_index",
              "Last burst in the log of a replicated partition.",
              replica -> replica.state().last()),
          Metric.gauge(
              "raft_log_last_written_index",
              "Last burst of a replicated partition that the disk has.",
              replica -> replica.state().forced()),
          Metric.gauge(
              "raft_log_commit_index",
              "Last burst of a replicated partition that is committed.",
              replica -> replica.state().committed()),
          Metric.gauge(
              "raft_entry_commit_latency_seconds",
              "Time that the last burst took to be committed.",
              replica -> replica.figures().commitNanos() / NANOS));

  private record Kept(ReplicaSnapshot replica) implements Metric.Labelled {
    @Override
    public Labels labels() {
      return Labels.of(PARTITION, number(replica.partition()));
    }
  }

  private static final List<Metric<Kept>> KEPT =
      List.of(
          Metric.gauge(
              "partition_replica_closed",
              "1 if the replica of a partition on this node is closed, as its disk is full or has"
                  + " failed.",
              kept -> kept.replica().isOpen() ? 0 : 1));

  private record Partition(ReplicaStats figures) implements Metric.Labelled {
    @Override
    public Labels labels() {
      return Labels.of(PARTITION, number(figures.partition()));
    }
  }

  private static final List<Metric<Partition>> OPEN =
      List.of(
          Metric.gauge(
              "partition_time_ahead_seconds",
              "How far the time of a replicated partition is ahead of the clock of this node.",
              partition -> partition.figures().aheadMillis() / MILLIS),
          Metric.gauge(
              "partition_leads",
              "1 if this node leads a replicated partition, 0 if it follows.",
              partition -> partition.figures().state().leads() ? 1 : 0));

  private static final List<Metric<Partition>> LED =
      List.of(
          Metric.gauge(
              "partition_replicas",
              "Replicas of a partition that this node leads.",
              partition -> partition.figures().state().followers().size() + 1),
          Metric.gauge(
              "partition_replicas_in_sync",
              "Replicas that are in sync, of a partition that this node leads.",
              partition -> partition.figures().state().inSync().size()));

  private record Follower(Labels labels, ReplicaState.Follower state) implements Metric.Labelled {}

  private static final List<Metric<Follower>> FOLLOWERS =
      List.of(
          Metric.gauge(
              "follower_behind_bursts",
              "Bursts that a follower has not forced.",
              follower -> follower.state().batches()),
          Metric.gauge(
              "follower_behind_bytes",
              "Bytes of these bursts, as far as the leader has them in memory.",
              follower -> follower.state().bytes()),
          Metric.gauge(
              "follower_answer_age_seconds",
              "Time since the last message was sent that a follower has answered.",
              follower ->
                  follower.state().answerMillis() < 0
                      ? Double.NaN
                      : follower.state().answerMillis() / MILLIS));

  private ReplicaMetrics() {}

  /** Returns what RabbitMQ has too. */
  public static Stream<MetricFamily> raft(String prefix, List<ReplicaSnapshot> replicas) {
    return MetricFamily.all(prefix, RAFT_METRICS, open(replicas).map(Replica::new).toList());
  }

  /**
   * Returns what RabbitMQ does not have.
   *
   * @param names returns the name of a node by its number
   */
  public static Stream<MetricFamily> own(
      List<ReplicaSnapshot> replicas, IntFunction<String> names) {
    if (replicas.isEmpty()) {
      return Stream.empty();
    }
    List<Partition> open = open(replicas).map(Partition::new).toList();
    List<Partition> led = open.stream().filter(each -> each.figures().state().leads()).toList();
    List<Follower> followers =
        led.stream().flatMap(each -> followers(each.figures(), names)).toList();
    return Stream.of(
            MetricFamily.all("mayfly_", KEPT, replicas.stream().map(Kept::new).toList()),
            MetricFamily.all("mayfly_", OPEN, open),
            MetricFamily.all("mayfly_", LED, led),
            MetricFamily.all("mayfly_", FOLLOWERS, followers),
            commits(open))
        .flatMap(families -> families);
  }

  private static Stream<MetricFamily> commits(List<Partition> open) {
    if (open.isEmpty()) {
      return Stream.empty();
    }
    return Stream.of(
        Distribution.histogram(
            "mayfly_commit_seconds",
            "Time from the end of a burst of a replicated partition until it is committed.",
            Labels.EMPTY,
            Histogram.Reading.sum(open.stream().map(each -> each.figures().commits()).toList())));
  }

  private static Stream<ReplicaStats> open(List<ReplicaSnapshot> replicas) {
    return replicas.stream().filter(ReplicaSnapshot::isOpen).map(ReplicaSnapshot::figures);
  }

  private static Stream<Follower> followers(ReplicaStats leader, IntFunction<String> names) {
    return leader.state().followers().stream()
        .map(
            follower ->
                new Follower(
                    Labels.of(
                        PARTITION,
                        number(leader.partition()),
                        "node",
                        names.apply(follower.node())),
                    follower));
  }
}
