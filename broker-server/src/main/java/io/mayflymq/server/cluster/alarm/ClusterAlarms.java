package io.mayflymq.server.cluster.alarm;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resource alarms of other nodes, which are raised here, and this node's, which are told.
 *
 * <p>A node tells each other one which of its resources are scarce: all of them, not the change, so
 * nothing is lost if a message is. It does so until that is confirmed, when it changes and when it
 * has just started: it may have ended with an alarm that others still have of it. As long as there
 * are any it repeats that every second, for nodes that have just started. What one node tells
 * another arrives in order, as it goes over one connection.
 *
 * <p>The alarms of a node end when it says so, or when it could not be reached at two looks in a
 * row.
 */
public final class ClusterAlarms implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterAlarms.class);
  private static final long LOOK_MILLIS = 1_000;
  private static final long TELL_MILLIS = 2_000;

  private final NodeCalls calls;
  private final Supplier<? extends Collection<String>> reachable;
  private final Alarms alarms;
  private final PeriodicWork work;

  /** What each node has confirmed last that it knows of this one. */
  private final Map<String, Set<Alarm.Resource>> confirmed = new ConcurrentHashMap<>();

  /** Of the thread: the nodes with alarms that were not there at the last look. */
  private Set<String> absentBefore = Set.of();

  private ClusterAlarms(
      NodeCalls calls,
      Supplier<? extends Collection<String>> reachable,
      Alarms alarms,
      PeriodicWork work) {
    this.calls = calls;
    this.reachable = reachable;
    this.alarms = alarms;
    this.work = work;
  }

  /**
   * Begins to tell other nodes, and to listen to them.
   *
   * @param calls reaches them
   * @param reachable the names of those that can be reached, without this one
   * @param alarms those of this node, where those of others are raised
   */
  public static ClusterAlarms start(
      NodeCalls calls,
      Supplier<? extends Collection<String>> reachable,
      Alarms alarms,
      BrokerThreads threads) {
    ClusterAlarms started =
        new ClusterAlarms(calls, reachable, alarms, threads.periodic("cluster-alarms"));
    calls.serve(CallService.ALARMS, started::heard);
    alarms.addListener(started.new Watch());
    started.work.every("looking after alarms of nodes", LOOK_MILLIS, started::look);
    return started;
  }

  private final class Watch implements Alarms.Listener {
    @Override
    public void raised(Alarm alarm) {
      changed(alarm);
    }

    @Override
    public void cleared(Alarm alarm) {
      changed(alarm);
    }

    private void changed(Alarm alarm) {
      if (!(alarm instanceof Alarm.OfNode)) {
        work.soon("telling alarms to nodes", ClusterAlarms.this::tellAll);
      }
    }
  }

  /** Looks which nodes are there, and tells them what they have to know. */
  void look() {
    tellAll();
    Collection<String> there = reachable.get();
    Set<String> absent = new HashSet<>(alarms.alarmedNodes());
    absent.removeAll(there);
    for (String node : absent) {
      if (absentBefore.contains(node)) {
        alarms.setOfNode(node, Set.of(), "that node is gone");
      }
    }
    absentBefore = absent;
  }

  private void tellAll() {
    Set<Alarm.Resource> own = alarms.scarceHere();
    for (String node : reachable.get()) {
      if (!own.isEmpty() || !own.equals(confirmed.get(node))) {
        tell(node, own);
      }
    }
  }

  private void tell(String node, Set<Alarm.Resource> own) {
    String words = own.stream().map(Alarm.Resource::word).collect(Collectors.joining(","));
    calls
        .call(node, CallService.ALARMS, words.getBytes(StandardCharsets.UTF_8), TELL_MILLIS)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                confirmed.put(node, own);
              } else {
                LOGGER.debug("node {} was not told of alarms: {}", node, failure.toString());
              }
            });
  }

  /** Another node says which of its resources are scarce; words that are not known are ignored. */
  private CompletableFuture<byte[]> heard(String node, byte[] words) {
    List<String> scarce = List.of(new String(words, StandardCharsets.UTF_8).split(","));
    alarms.setOfNode(
        node,
        Arrays.stream(Alarm.Resource.values())
            .filter(resource -> scarce.contains(resource.word()))
            .collect(Collectors.toSet()),
        "that node says so");
    return CompletableFuture.completedFuture(new byte[0]);
  }

  @Override
  public void close() {
    work.close();
  }
}
