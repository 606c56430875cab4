package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.transport.CallHandler;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCallException;
import io.mayflymq.server.cluster.transport.NodeCalls;
import io.mayflymq.server.cluster.transport.NodeUnreachableException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests between nodes of one process: each way of a link can be cut, messages be lost or late,
 * and nodes be held up. Any thread may call.
 */
public final class SimulatedNetwork implements AutoCloseable {
  private final Random random;
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
  private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final Set<String> cut = new HashSet<>();
  private final Map<String, List<Kept>> held = new ConcurrentHashMap<>();
  private final AtomicLong delivered = new AtomicLong();
  private double loss;
  private int delayMillis;

  private record Kept(String from, Runnable message) {}

  public SimulatedNetwork(long seed) {
    this.random = new Random(seed);
  }

  /** Attaches a node, in place of one that had the name. */
  public NodeCalls attach(String name) {
    Endpoint endpoint = new Endpoint(name);
    endpoints.put(name, endpoint);
    return endpoint;
  }

  /** Lets a node not be reached any more. */
  public void detach(String name) {
    endpoints.remove(name);
  }

  /** Loses messages, and delays the others. */
  public synchronized void disturb(double lostShare, int mostDelayMillis) {
    loss = lostShare;
    delayMillis = mostDelayMillis;
  }

  /** Loses what one node sends to another. */
  public synchronized void cut(String from, String to) {
    cut.add(from + ">" + to);
  }

  /** Cuts a node off from all others, both ways. */
  public void isolate(String node) {
    for (String other : endpoints.keySet()) {
      cut(node, other);
      cut(other, node);
    }
  }

  /** Ends all cuts and disturbances. */
  public synchronized void heal() {
    cut.clear();
    loss = 0;
    delayMillis = 0;
  }

  /** Keeps what arrives at a node until {@link #release}. */
  public void hold(String node) {
    held.putIfAbsent(node, new CopyOnWriteArrayList<>());
  }

  /** Delivers what was kept. */
  public void release(String node) {
    List<Kept> messages = held.remove(node);
    if (messages != null) {
      messages.forEach(kept -> timer.execute(kept.message()));
    }
  }

  /** How many messages of one node are kept for another. */
  public long held(String from, String to) {
    return held.getOrDefault(to, List.of()).stream()
        .filter(kept -> kept.from().equals(from))
        .count();
  }

  /** How many messages have arrived. */
  public long delivered() {
    return delivered.get();
  }

  /** Whether a message would arrive now, if it is not lost by chance. */
  public synchronized boolean reaches(String from, String to) {
    return endpoints.containsKey(to) && !cut.contains(from + ">" + to);
  }

  private synchronized boolean isLost(String from, String to) {
    return !reaches(from, to) || random.nextDouble() < loss;
  }

  private synchronized int delay() {
    return delayMillis == 0 ? 0 : random.nextInt(delayMillis + 1);
  }

  private void send(String from, String to, Runnable message) {
    if (isLost(from, to)) {
      return;
    }
    Runnable arrival =
        () -> {
          List<Kept> kept = held.get(to);
          if (kept == null) {
            delivered.incrementAndGet();
            message.run();
          } else {
            kept.add(new Kept(from, message));
          }
        };
    timer.schedule(arrival, delay(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** One node's side. */
  private final class Endpoint implements NodeCalls {
    private final String name;
    private final Map<CallService, CallHandler> handlers = new ConcurrentHashMap<>();

    Endpoint(String name) {
      this.name = name;
    }

    @Override
    public CompletableFuture<byte[]> call(
        String node, CallService service, byte[] request, long timeoutMillis) {
      CompletableFuture<byte[]> done = new CompletableFuture<>();
      if (!endpoints.containsKey(node)) {
        done.completeExceptionally(
            new NodeUnreachableException("node '" + node + "' cannot be reached", null));
        return done;
      }
      send(name, node, () -> answer(node, service, request, done));
      var late =
          timer.schedule(
              () ->
                  done.completeExceptionally(
                      new NodeUnreachableException("node '" + node + "' does not answer", null)),
              timeoutMillis,
              TimeUnit.MILLISECONDS);
      done.whenComplete((answer, failure) -> late.cancel(false));
      return done;
    }

    private void answer(
        String node, CallService service, byte[] request, CompletableFuture<byte[]> done) {
      Endpoint other = endpoints.get(node);
      CallHandler handler = other == null ? null : other.handlers.get(service);
      if (handler == null) {
        done.completeExceptionally(new NodeCallException("no service " + service));
        return;
      }
      handler
          .answer(name, request)
          .whenComplete(
              (answer, failure) ->
                  send(
                      node,
                      name,
                      () -> {
                        if (failure == null) {
                          done.complete(answer);
                        } else {
                          done.completeExceptionally(
                              new NodeCallException(String.valueOf(failure.getMessage())));
                        }
                      }));
    }

    @Override
    public void serve(CallService service, CallHandler handler) {
      if (handlers.putIfAbsent(service, handler) != null) {
        throw new IllegalStateException(service + " is served already");
      }
    }
  }
}
