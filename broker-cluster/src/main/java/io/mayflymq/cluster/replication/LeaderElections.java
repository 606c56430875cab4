package io.mayflymq.cluster.replication;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Elects the leaders of partitions. Belongs to one thread.
 *
 * <p>One node decides it for all partitions: the one that leads the decisions of the cluster. It
 * keeps nothing that matters. What it decides is a change of the assignment as it knows it, so if
 * two nodes decide at once, one change applies.
 *
 * <p>A partition whose leader fails is not given another one as long as a replica in sync still
 * hears of the leader: the leader takes those out that it does not reach. So all other replicas in
 * sync have to report, or to be unreachable. A leader that reports itself has ended leading, or was
 * started anew, which says more: the others are given a moment to report. A node whose replica is
 * closed for now, as its disk is full, reports that, because it runs and would be waited for.
 *
 * <p>All replicas in sync have what was committed, so any of them can lead. The one with the
 * longest log is taken, because none has to undo bursts then. A node in maintenance mode is about
 * to be stopped: it leads only if no other replica in sync is there.
 */
public final class LeaderElections {
  /** How long a report is valid, in ms; it is repeated several times in this time. */
  static final int VALID_MILLIS = 1_000;

  /** How long replicas are waited for that have not reported yet, in ms. */
  static final int GRACE_MILLIS = 100;

  /**
   * The nodes of the cluster as the one that decides sees them, by their numbers.
   *
   * @param reachable those that it reaches, itself among them
   * @param drained those in maintenance mode
   */
  public record Nodes(Set<Integer> reachable, Set<Integer> drained) {}

  private record Received(Leaderless report, long atMillis) {}

  private static final class Reports {
    final Map<Integer, Received> ofReplicas = new HashMap<>();
    long firstMillis;

    void add(Leaderless report, long nowMillis) {
      ofReplicas.values().removeIf(old -> old.report.epoch() != report.epoch());
      if (ofReplicas.isEmpty()) {
        firstMillis = nowMillis;
      }
      ofReplicas.put(report.replica(), new Received(report, nowMillis));
    }

    /** Returns whether none is left. */
    boolean forgetOld(long nowMillis) {
      ofReplicas.values().removeIf(old -> nowMillis - old.atMillis > VALID_MILLIS);
      return ofReplicas.isEmpty();
    }
  }

  private final Map<Integer, Reports> reports = new HashMap<>();

  /**
   * A replica has reported.
   *
   * @param nowMillis the time by a monotonic clock, as in all methods
   */
  public void reported(Leaderless report, long nowMillis) {
    reports.computeIfAbsent(report.partition(), first -> new Reports()).add(report, nowMillis);
  }

  /** Returns whether there are no reports that {@link #due} has not found to be too old. */
  public boolean isEmpty() {
    return reports.isEmpty();
  }

  /**
   * Returns the elections that are due, by the numbers of their partitions.
   *
   * @param assignments those of all partitions
   */
  public Map<Integer, AssignmentChange.Elected> due(
      Map<Integer, Assignment> assignments, Nodes nodes, long nowMillis) {
    Map<Integer, AssignmentChange.Elected> due = new HashMap<>();
    reports.values().removeIf(each -> each.forgetOld(nowMillis));
    reports.forEach(
        (partition, each) -> {
          Assignment assignment = assignments.get(partition);
          if (assignment != null) {
            election(assignment, each, nodes, nowMillis)
                .ifPresent(elected -> due.put(partition, elected));
          }
        });
    return due;
  }

  private static Optional<AssignmentChange.Elected> election(
      Assignment assignment, Reports reports, Nodes nodes, long nowMillis) {
    Set<Integer> reporting = new TreeSet<>();
    for (Received received : reports.ofReplicas.values()) {
      if (received.report.epoch() == assignment.epoch()
          && assignment.inSync().contains(received.report.replica())) {
        reporting.add(received.report.replica());
      }
    }
    Set<Integer> silent = new TreeSet<>(assignment.inSync());
    silent.removeAll(reporting);
    silent.retainAll(nodes.reachable);
    int leader = assignment.leader();
    boolean isDue;
    if (reporting.contains(leader)) {
      isDue = silent.isEmpty() || nowMillis - reports.firstMillis >= GRACE_MILLIS;
    } else if (silent.remove(leader)) {
      // It runs. Another one does better only if it can do without this one.
      isDue = silent.isEmpty() && reporting.size() >= assignment.majority();
    } else {
      isDue = silent.isEmpty();
    }
    if (!isDue) {
      return Optional.empty();
    }
    Set<Integer> present = new TreeSet<>(reporting);
    present.addAll(silent);
    // A node in maintenance mode does not lead while another one may report yet.
    boolean hasOther = !nodes.drained.containsAll(silent);
    return reporting.stream()
        .filter(replica -> !hasOther || !nodes.drained.contains(replica))
        .map(replica -> reports.ofReplicas.get(replica).report)
        .filter(Leaderless::isCandidate)
        .max(
            Comparator.comparing((Leaderless report) -> !nodes.drained.contains(report.replica()))
                .thenComparingLong(report -> report.last().epoch())
                .thenComparingLong(report -> report.last().number())
                .thenComparing(report -> -assignment.replicas().indexOf(report.replica())))
        .map(next -> assignment.elect(next.replica(), present));
  }
}
