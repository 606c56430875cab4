package io.mayflymq.shovel;

import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.ShovelStatus.State;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.client.ConnectException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shovel: it connects, moves messages, and connects again when that has failed, on a thread of
 * its own. Any thread may call.
 */
final class Shovel {
  private static final Logger LOGGER = LoggerFactory.getLogger(Shovel.class);

  /** The first pause after messages were refused; it doubles up to the delay of the definition. */
  private static final long FIRST_PAUSE_MILLIS = 100;

  /** What has run for so long may start again at once. */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an orderly end may take until the connections are cut. */
  private static final long STOP_MILLIS = 5_000;

  private static final String OTHER_USER = "user_id property set to";

  private final String vhost;
  private final String name;
  private final ShovelDefinition definition;
  private final BrokerConnections connections;
  private final Supplier<String> cluster;
  private final BrokerEvents events;
  private final Runnable completed;
  private final Thread thread;
  private final Progress progress;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private volatile Phase phase = new Phase(State.STARTING, Instant.now(), "", null, null);
  private volatile Transfer transfer;
  private volatile BrokerConnection from;
  private volatile BrokerConnection to;

  /** Why it did not run the last time. */
  private String lastReason = "";

  /** Whether messages go without the user who published them, as the destination refuses that. */
  private boolean removesUserId;

  private record Phase(State state, Instant since, String reason, BrokerUri from, BrokerUri to) {}

  /**
   * @param connections opens connections
   * @param cluster the name of the cluster
   * @param events is told of each state
   * @param completed is called when all that was to be moved is moved
   * @param threads makes its thread
   */
  Shovel(
      String vhost,
      String name,
      ShovelDefinition definition,
      BrokerConnections connections,
      Supplier<String> cluster,
      BrokerEvents events,
      Runnable completed,
      BrokerThreads threads) {
    this.vhost = vhost;
    this.name = name;
    this.definition = definition;
    this.connections = connections;
    this.cluster = cluster;
    this.events = events;
    this.completed = completed;
    this.progress = new Progress(definition.source().deleteAfterMillis());
    this.thread = threads.auxiliary("shovel " + name, this::run);
  }

  String vhost() {
    return vhost;
  }

  String name() {
    return name;
  }

  void start() {
    thread.start();
  }

  /**
   * Has it stop, in order if it can be: what the destination has been sent is confirmed and
   * acknowledged first.
   */
  void end() {
    stopped.countDown();
    Transfer current = transfer;
    if (current != null) {
      current.stop();
    }
  }

  /** Stops it, and waits until it has stopped. Not for its own thread. */
  void stop() {
    end();
    try {
      thread.join(STOP_MILLIS);
      if (thread.isAlive()) {
        cut();
        thread.interrupt();
        thread.join(STOP_MILLIS);
      }
    } catch (InterruptedException e) {
      cut();
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the connections of a thread that waits for them. */
  private void cut() {
    for (BrokerConnection open : new BrokerConnection[] {from, to}) {
      if (open != null) {
        open.close();
      }
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private void run() {
    boolean wasAtOnce = false;
    int refusals = 0;
    while (!isStopped()) {
      long started = System.nanoTime();
      long before = progress.forwarded();
      long pause = definition.reconnectDelayMillis();
      boolean atOnce = false;
      String reason;
      enter(State.STARTING, "");
      try {
        if (moveAll()) {
          LOGGER.info("{} is done: {} messages moved", this, progress.forwarded());
          completed.run();
          return;
        }
        reason = "";
      } catch (ConnectException e) {
        reason = "failed to connect to " + e.getMessage();
      } catch (TransferException e) {
        reason = e.getMessage();
        boolean hasMoved = progress.forwarded() > before;
        if (reason.contains(OTHER_USER) && !removesUserId) {
          removesUserId = true;
          atOnce = true;
          LOGGER.warn("{} removes the user-id of messages: {}", this, reason);
        } else {
          atOnce =
              e.mayRunAtOnce()
                  && (hasMoved || !wasAtOnce || System.nanoTime() - started > STEADY_NANOS);
        }
        if (!e.mayRunAtOnce()) {
          refusals = hasMoved ? 0 : refusals + 1;
          pause = Math.min(pause, FIRST_PAUSE_MILLIS << Math.min(refusals, 10));
        }
      } catch (IOException | ShutdownSignalException e) {
        reason = BrokerConnections.reason(e);
        atOnce = !wasAtOnce;
      } catch (RuntimeException e) {
        LOGGER.error("{} has failed", this, e);
        reason = e.toString();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      if (isStopped()) {
        return;
      }
      enter(State.TERMINATED, reason);
      wasAtOnce = atOnce;
      if (!atOnce && waitedEnough(pause)) {
        return;
      }
    }
  }

  /** Waits before the next attempt; returns whether there is to be none. */
  private boolean waitedEnough(long millis) {
    try {
      if (definition.reconnectDelayMillis() == 0) {
        LOGGER.warn("{} is not started again, as its reconnect-delay is 0", this);
        stopped.await();
        return true;
      }
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Connects, and moves messages; returns whether all that was to be moved is. */
  private boolean moveAll()
      throws ConnectException, TransferException, IOException, InterruptedException {
    try (BrokerConnection source = open("source", definition.source().uris())) {
      from = source;
      try (BrokerConnection destination = open("destination", definition.destination().uris())) {
        to = destination;
        MessageForm form =
            new MessageForm(
                definition.destination(), stamp(source.uri(), destination.uri()), removesUserId);
        Transfer moving = new Transfer(definition, source, destination, form, progress);
        transfer = moving;
        if (isStopped()) {
          return false;
        }
        running(source.uri(), destination.uri());
        return moving.run();
      }
    } finally {
      transfer = null;
      from = null;
      to = null;
      progress.setPending(0);
      progress.setBlocked("");
    }
  }

  private BrokerConnection open(String end, List<BrokerUri> uris) throws ConnectException {
    try {
      return connections.open(uris, "Shovel " + name);
    } catch (ConnectException e) {
      throw e.of(end);
    }
  }

  private void running(BrokerUri source, BrokerUri destination) {
    phase = new Phase(State.RUNNING, Instant.now(), "", source, destination);
    LOGGER.info("{} runs, from {} to {}", this, source, destination);
    events.happened(ShovelEvent.entered(status()));
  }

  private void enter(State state, String reason) {
    Phase before = phase;
    phase = new Phase(state, Instant.now(), reason, null, null);
    if (state == State.TERMINATED) {
      // Once for each reason: an attempt may fail every few seconds, for days.
      if (reason.equals(lastReason)) {
        LOGGER.debug("{} does not run: {}", this, reason);
      } else {
        LOGGER.warn("{} does not run: {}", this, reason);
      }
      lastReason = reason;
    }
    if (state != before.state) {
      events.happened(ShovelEvent.entered(status()));
    }
  }

  private Map<String, Object> stamp(BrokerUri source, BrokerUri destination) {
    Map<String, Object> stamp = new LinkedHashMap<>();
    stamp.put("shovelled-by", cluster.get());
    stamp.put("shovel-type", "dynamic");
    stamp.put("shovel-name", name);
    stamp.put("shovel-vhost", vhost);
    stamp.put("src-uri", source.toString());
    stamp.put("dest-uri", destination.toString());
    put(stamp, "src-queue", definition.source().queue());
    put(stamp, "src-exchange", definition.source().exchange());
    put(stamp, "src-exchange-key", definition.source().exchangeKey());
    put(stamp, "dest-queue", definition.destination().queue());
    put(stamp, "dest-exchange", definition.destination().exchange());
    return stamp;
  }

  private static void put(Map<String, ? super String> fields, String key, String value) {
    if (value != null) {
      fields.put(key, value);
    }
  }

  ShovelStatus status() {
    Phase now = phase;
    return new ShovelStatus(
        vhost,
        name,
        now.state,
        now.since,
        now.reason,
        progress.blocked(),
        ends(now),
        progress.forwarded(),
        progress.pending(),
        progress.remaining());
  }

  private Map<String, String> ends(Phase now) {
    Map<String, String> ends = new LinkedHashMap<>();
    ShovelDefinition.Source source = definition.source();
    ends.put("src_uri", now.from == null ? texts(source.uris()) : now.from.toString());
    ends.put("src_protocol", source.protocol());
    put(ends, "src_queue", source.queue());
    put(ends, "src_exchange", source.exchange());
    put(ends, "src_exchange_key", source.exchangeKey());
    ShovelDefinition.Destination destination = definition.destination();
    ends.put("dest_uri", now.to == null ? texts(destination.uris()) : now.to.toString());
    ends.put("dest_protocol", destination.protocol());
    put(ends, "dest_queue", destination.queue());
    put(ends, "dest_exchange", destination.exchange());
    put(ends, "dest_exchange_key", destination.exchangeKey());
    return ends;
  }

  private static String texts(List<BrokerUri> uris) {
    return uris.stream().map(BrokerUri::toString).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return "shovel '%s' in vhost '%s'".formatted(name, vhost);
  }
}
