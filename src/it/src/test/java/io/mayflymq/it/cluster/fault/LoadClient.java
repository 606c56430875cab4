package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * A client of one node, with a thread of its own. It connects again when its connection or channel
 * has ended, as often as that happens, until it is told to stop.
 */
abstract class LoadClient implements Runnable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 50;

  private final FaultBench bench;
  private final int node;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile Throwable failure;
  private volatile Connection connection;

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
  abstract void work(Connection client) throws IOException, InterruptedException;

  final void start() {
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
      connection = factory.newConnection(thread.getName());
      work(connection);
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      Time.pass(PAUSE_MILLIS);
    } finally {
      if (connection != null) {
        connection.abort(CONNECT_MILLIS);
        connection = null;
      }
    }
  }
}
