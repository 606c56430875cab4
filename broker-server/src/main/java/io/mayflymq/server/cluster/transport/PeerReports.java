package io.mayflymq.server.cluster.transport;

import io.mayflymq.core.runtime.Faults;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes are reachable: in the log, and for those who asked to be told. Any thread may call.
 */
final class PeerReports {
  private static final Logger LOGGER = LoggerFactory.getLogger(PeerReports.class);

  private final RefusalLog refusals;
  private final Faults faults;
  private final List<PeerListener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, NodeIdentity> reachable = new ConcurrentHashMap<>();

  PeerReports(RefusalLog refusals, Faults faults) {
    this.refusals = refusals;
    this.faults = faults;
  }

  void add(PeerListener listener) {
    listeners.add(listener);
  }

  Map<String, NodeIdentity> reachable() {
    return Map.copyOf(reachable);
  }

  void up(NodeIdentity node) {
    refusals.established(node.name());
    reachable.put(node.name(), node);
    LOGGER.info("cluster: node {} is reachable", node.name());
    tell(listener -> listener.up(node));
  }

  void down(String node, String why) {
    reachable.remove(node);
    LOGGER.warn("cluster: the connection to node {} was lost: {}", node, why);
    tell(listener -> listener.down(node, why));
  }

  void ended(String node) {
    tell(listener -> listener.ended(node));
  }

  void disconnected(String node) {
    tell(listener -> listener.disconnected(node));
  }

  void unreachable(String node, String why, boolean refusal) {
    refusals.failed(
        node,
        refusal
            ? "no connection to node %s at %s".formatted(node, why)
            : "node %s cannot be reached: %s".formatted(node, why));
  }

  private void tell(Consumer<PeerListener> event) {
    for (PeerListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable e) {
        faults.report("a listener for nodes", e);
      }
    }
  }
}
