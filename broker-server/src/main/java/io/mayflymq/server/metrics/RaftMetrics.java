package io.mayflymq.server.metrics;

import io.mayflymq.cluster.partition.ReplicaSnapshot;
import io.mayflymq.cluster.partition.ReplicaStats;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The log of metadata, and those of quorum queues.
 *
 * <p>The logs of Raft under the names of RabbitMQ 4.2 and later.
 *
 * <p>RabbitMQ has a log for each quorum queue, and labels it with virtual host and queue. Here the
 * queues of a partition share one. So a scrape of sums has the partitions, and one of objects has
 * each queue with what its partition has: a sum over the queues would have a burst once for each of
 * them.
 */
final class RaftMetrics {
  private static final double NANOS = 1e9;

  /** RabbitMQ's label of the log of metadata. */
  private static final Labels METADATA = Labels.of("ra_system", "coordination");

  private static final Labels QUEUES = Labels.of("ra_system", "quorum_queues");

  /**
   * A log under labels of its own; a number is NaN where there is none.
   *
   * @param gone the last entry that it does not have any more
   */
  private record Log(
      Labels labels,
      double term,
      double last,
      double written,
      double committed,
      double applied,
      double gone,
      double latency,
      double segments)
      implements Metric.Labelled {
    Log with(Labels others) {
      return new Log(others, term, last, written, committed, applied, gone, latency, segments);
    }
  }

  /** RabbitMQ's names of counters are not those that Prometheus expects. */
  private static final List<Metric<Log>> METRICS =
      List.of(
          Metric.untyped("raft_term", "Current term.", Log::term),
          Metric.untyped("raft_last_index", "Last entry of a log.", Log::last),
          Metric.untyped(
              "raft_last_written_index", "Last entry of a log that the disk has.", Log::written),
          Metric.untyped(
              "raft_commit_index", "Last entry of a log that is committed.", Log::committed),
          Metric.gauge("raft_last_applied", "Last entry of a log that is applied.", Log::applied),
          Metric.untyped(
              "raft_snapshot_index",
              "Last entry that a log does not have any more, as all that it changed is in later"
                  + " ones.",
              Log::gone),
          Metric.gauge(
              "raft_commit_latency_seconds",
              "Time that the last entry took to be committed.",
              Log::latency),
          Metric.gauge("raft_num_segments", "Files of a log.", Log::segments));

  /**
   * A quorum queue that this node leads.
   *
   * @param labels its virtual host and name
   * @param isReplicated whether its partition has replicas
   * @param partition the number of the replicated partition, or of the partition on this node
   */
  public record QuorumQueue(Labels labels, boolean isReplicated, int partition) {
    /** Returns a queue of a replicated partition. */
    public static QuorumQueue replicated(Labels labels, int partition) {
      return new QuorumQueue(labels, true, partition);
    }

    /** Returns a queue that is on this node only. */
    public static QuorumQueue alone(Labels labels, int partition) {
      return new QuorumQueue(labels, false, partition);
    }
  }

  private final Log metadata;

  /** By the numbers of replicated partitions. */
  private final Map<Integer, Log> replicated;

  /** By the numbers of partitions on this node. */
  private final Map<Integer, Log> alone;

  private final List<StoreStats> stores;

  /**
   * @param status of the log of metadata; null if there is none
   * @param replicas those on this node; empty of a broker that is alone
   * @param stores what partitions store that this node leads, by their numbers
   */
  public RaftMetrics(
      ConsensusStatus status, List<ReplicaSnapshot> replicas, Map<Integer, StoreStats> stores) {
    this.metadata = status == null ? null : metadata(status);
    this.stores = List.copyOf(stores.values());
    this.alone =
        stores.entrySet().stream()
            .collect(
                Collectors.toMap(Map.Entry::getKey, each -> alone(each.getKey(), each.getValue())));
    this.replicated =
        replicas.stream()
            .filter(ReplicaSnapshot::isOpen)
            .collect(
                Collectors.toMap(ReplicaSnapshot::partition, each -> replicated(each.figures())));
  }

  private static Log metadata(ConsensusStatus status) {
    double applied = status.applied() == null ? -1 : status.applied().index();
    return new Log(
        METADATA,
        status.term(),
        Double.NaN,
        Double.NaN,
        status.committed(),
        applied,
        Double.NaN,
        Double.NaN,
        Double.NaN);
  }

  private static Labels labels(int partition) {
    return QUEUES.merge(Labels.of("partition", Integer.toString(partition)));
  }

  /** What has no other replica is committed when it is forced; its bursts have no numbers. */
  private static Log alone(int partition, StoreStats store) {
    return new Log(
        labels(partition),
        Assignment.FIRST_EPOCH,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        store.lastForcedNanos() / NANOS,
        store.messages().segments());
  }

  private static Log replicated(ReplicaStats replica) {
    ReplicaState state = replica.state();
    return new Log(
        labels(replica.partition()),
        state.epoch(),
        state.last(),
        state.forced(),
        state.committed(),
        state.last(),
        replica.gone(),
        replica.commitNanos() / NANOS,
        replica.segments());
  }

  /** Returns the families of a scrape that has sums. */
  public Stream<MetricFamily> sums(String prefix) {
    List<Log> logs = new ArrayList<>();
    if (metadata != null) {
      logs.add(metadata);
    }
    // In a cluster replicated partitions have other numbers than those on a node.
    logs.addAll(metadata == null ? alone.values() : replicated.values());
    return Stream.of(
            MetricFamily.all(prefix, METRICS, logs),
            largest(prefix, "num_segments", "Files of the log that has most.", Log::segments),
            largest(
                prefix,
                "commit_latency_seconds",
                "Longest time that the last entry of a log took to be committed.",
                Log::latency),
            files(prefix))
        .flatMap(families -> families);
  }

  /**
   * Returns the families of a scrape that has objects.
   *
   * @param queues the quorum queues that it asks for
   * @param isFiltered whether it asks for certain queues only, and not for the log of metadata
   */
  public Stream<MetricFamily> objects(String prefix, List<QuorumQueue> queues, boolean isFiltered) {
    List<Log> logs = new ArrayList<>();
    if (metadata != null && !isFiltered) {
      logs.add(metadata);
    }
    for (QuorumQueue queue : queues) {
      Log log = (queue.isReplicated() ? replicated : alone).get(queue.partition());
      if (log != null) {
        logs.add(log.with(queue.labels()));
      }
    }
    return Stream.concat(
        MetricFamily.all(prefix, METRICS, logs), isFiltered ? Stream.empty() : files(prefix));
  }

  private Stream<MetricFamily> largest(
      String prefix, String name, String help, ToDoubleFunction<Log> number) {
    return Stream.concat(replicated.values().stream(), alone.values().stream())
        .mapToDouble(number)
        .max()
        .stream()
        .mapToObj(
            most ->
                Value.gauge(prefix + "raft_max_" + name, help, List.of(new Value(QUEUES, most))));
  }

  /**
   * Returns what the message logs did, as RabbitMQ's write-ahead log and what moves entries from
   * there to segments: here compaction. There are no tables in memory between them.
   */
  private Stream<MetricFamily> files(String prefix) {
    Labels log = QUEUES.merge(Labels.of("module", "ra_log_wal"));
    Labels compaction = QUEUES.merge(Labels.of("module", "ra_log_segment_writer"));
    return Stream.of(
        module(
            prefix,
            "wal_files",
            "Files of message logs.",
            log,
            store -> store.messages().segments()),
        module(
            prefix,
            "batches",
            "Forced writes of message logs.",
            log,
            store -> store.forcedWrites().count()),
        module(
            prefix, "writes", "Messages written to message logs.", log, StoreStats::storedMessages),
        MetricFamily.of(
            prefix,
            Metric.untyped(
                "raft_bytes_written",
                "Bytes written to message logs, and copied within them by compaction.",
                Value::value),
            List.of(
                new Value(log, sum(StoreStats::writtenBytes)),
                new Value(compaction, sum(store -> store.messages().copiedBytes())))),
        module(
            prefix,
            "segments",
            "Files of message logs that were compacted.",
            compaction,
            store -> store.messages().compactedSegments()),
        module(prefix, "entries", "Always 0: entries are written once.", compaction, store -> 0),
        module(
            prefix, "mem_tables", "Always 0: entries are written once.", compaction, store -> 0));
  }

  private MetricFamily module(
      String prefix, String name, String help, Labels labels, ToLongFunction<StoreStats> count) {
    return MetricFamily.of(
        prefix,
        Metric.untyped("raft_" + name, help, Value::value),
        List.of(new Value(labels, sum(count))));
  }

  private double sum(ToLongFunction<StoreStats> count) {
    return (double) stores.stream().mapToLong(count).sum();
  }
}
