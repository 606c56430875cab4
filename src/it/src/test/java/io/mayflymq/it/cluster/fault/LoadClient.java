package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client of one node, with a thread of its own. It connects again when its connection or channel
 * has ended, as often as that happens, until it is told to stop.
 */
public abstract class LoadClient implements Runnable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 50;

  /**
   * The end of a connection, channel or consumer that the client has not asked for.
   *
   * @param nanos {@link System#nanoTime} when the client noticed it
   */
  public record Loss(long nanos, int node, String client, String reason) {}

  private final FaultBench bench;
  private final int node;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile Throwable failure;
  private volatile Connection connection;
  private final Queue<Loss> losses = new ConcurrentLinkedQueue<>();
  private final AtomicInteger sessions = new AtomicInteger();

  LoadClient(String name, FaultBench bench, int node) {
    this.bench = bench;
    this.node = node;
    this.thread = new Thread(this, name + " at node" + node);
  }

  /**
   * Works on a connection until {@link #stopping}.
   *
   * @throws IOException if it cannot go on with this connection
   */
  abstract void work(Connection connection) throws IOException, InterruptedException;

  /** Returns the name of this client with the number of its connection. */
  final String client() {
    return thread.getName() + "#" + sessions.get();
  }

  /** Records that what it had opened has ended. */
  final void lost(String reason) {
    losses.add(new Loss(System.nanoTime(), node, client(), reason));
  }

  /** Returns what it has lost so far. */
  final List<Loss> losses() {
    return List.copyOf(losses);
  }

  /** Begins to work. */
  public final void start() {
    thread.start();
  }

  /** Has it come to an end by itself. */
  final void stop() {
    stopping = true;
  }

  final boolean stopping() {
    return stopping;
  }

  final BrokerProcess process() {
    return bench.node(node);
  }

  final int node() {
    return node;
  }

  /** Waits for the end; fails if there is none, or another one than {@link #stop} has asked for. */
  final void join() throws InterruptedException {
    thread.join(2L * Patience.MILLIS);
    if (thread.isAlive()) {
      StackTraceElement[] where = thread.getStackTrace();
      Connection last = connection;
      if (last != null) {
        last.abort(1_000);
      }
      AssertionError hangs = new AssertionError(thread.getName() + " does not end");
      hangs.setStackTrace(where);
      throw hangs;
    }
    if (failure != null) {
      throw new AssertionError(thread.getName() + " has failed", failure);
    }
  }

  @Override
  public final void run() {
    try {
      while (!stopping) {
        session();
      }
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      failure = e;
    }
  }

  private void session() throws InterruptedException {
    ConnectionFactory factory = process().factory();
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setHandshakeTimeout(CONNECT_MILLIS);
    try {
      sessions.incrementAndGet();
      connection = factory.newConnection(thread.getName());
      work(connection);
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      if (connection != null) {
        lost(Objects.requireNonNullElse(e.getCause(), e).toString());
      }
      Time.pass(PAUSE_MILLIS);
    } finally {
      if (connection != null) {
        connection.abort(CONNECT_MILLIS);
        connection = null;
      }
    }
  }
}
