package io.mayflymq.server.net;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.Cluster;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the node is in maintenance mode. Any thread of the API may call.
 *
 * <p>Source: RabbitMQ, "Upgrading RabbitMQ", section "Maintenance Mode".
 *
 * <p>Maintenance mode prepares a node for being stopped. Its clients are closed and go to other
 * nodes. It remains a member of the cluster, and the other nodes reach its queues until it is
 * stopped; what it leads of quorum queues others lead from then on. The mode ends with the process.
 *
 * <p>The other nodes are told first, so that they place no queues on it meanwhile. When they cannot
 * be told, it is drained all the same: the operator may be about to repair that.
 */
public final class MaintenanceMode {
  private static final Logger LOGGER = LoggerFactory.getLogger(MaintenanceMode.class);
  private static final String REASON = "Node was put into maintenance mode";
  private static final long CLUSTER_SECONDS = 15;

  private final AmqpServer server;
  private final Supplier<Optional<Cluster>> cluster;
  private volatile boolean drained;

  /**
   * @param cluster gives none if the broker is alone
   */
  MaintenanceMode(AmqpServer server, Supplier<Optional<Cluster>> cluster) {
    this.server = server;
    this.cluster = cluster;
  }

  /** Returns whether the node is in maintenance mode. Any thread may call. */
  public boolean isDrained() {
    return drained;
  }

  /** Accepts no more clients, closes those that are connected, and lets other nodes lead. */
  public synchronized void drain() {
    if (drained) {
      return;
    }
    LOGGER.info("entering maintenance mode: client connections are closed, none are accepted");
    drained = true;
    Optional<Cluster> joined = cluster.get();
    if (joined.isPresent()) {
      await(joined.get().setDrained(true), "the other nodes do not know of the maintenance mode");
    }
    server.suspendListeners();
    server.closeConnections(REASON);
    if (joined.isPresent()) {
      await(joined.get().handOver(), "this node goes on leading");
    }
    LOGGER.info("this node is in maintenance mode");
  }

  /**
   * Accepts clients again.
   *
   * @throws StartException if a listener's address is in use by now; then the mode stays
   */
  public synchronized void revive() throws StartException {
    server.resumeListeners();
    if (!drained) {
      return;
    }
    drained = false;
    Optional<Cluster> joined = cluster.get();
    if (joined.isPresent()) {
      await(joined.get().setDrained(false), "the other nodes place no queues on this one");
    }
    LOGGER.info("left maintenance mode: client connections are accepted");
  }

  /** Waits for the cluster; logs what a failure means. */
  private static void await(CompletableFuture<Void> change, String otherwise) {
    try {
      change.get(CLUSTER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      LOGGER.warn("{}: {}", otherwise, Causes.of(e).getMessage());
    } catch (TimeoutException e) {
      LOGGER.warn("{}: no answer within {} s", otherwise, CLUSTER_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
