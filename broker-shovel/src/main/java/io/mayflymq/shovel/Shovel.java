package io.mayflymq.shovel;

import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.ShovelStatus.State;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.client.ConnectException;
import io.mayflymq.shovel.transfer.Declarations.FoundQueue;
import io.mayflymq.shovel.transfer.Mover;
import io.mayflymq.shovel.transfer.Progress;
import io.mayflymq.shovel.transfer.Transfer;
import io.mayflymq.shovel.transfer.TransferException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shovel: it moves messages from one broker to another. Any thread may call. */
final class Shovel extends Mover {
  private static final Logger LOGGER = LoggerFactory.getLogger(Shovel.class);

  private static final String OTHER_USER = "user_id property set to";

  private final String vhost;
  private final String name;
  private final ShovelDefinition definition;
  private final Supplier<String> cluster;
  private final BrokerEvents events;
  private final Runnable completed;
  private final Progress progress;

  private volatile Phase phase = new Phase(State.STARTING, Instant.now(), "", null, null);

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
    this(
        vhost,
        name,
        definition,
        connections,
        cluster,
        events,
        completed,
        new Progress(definition.source().deleteAfterMillis()),
        threads);
  }

  private Shovel(
      String vhost,
      String name,
      ShovelDefinition definition,
      BrokerConnections connections,
      Supplier<String> cluster,
      BrokerEvents events,
      Runnable completed,
      Progress progress,
      BrokerThreads threads) {
    super("shovel " + name, connections, definition.reconnectDelayMillis(), progress, threads);
    this.vhost = vhost;
    this.name = name;
    this.definition = definition;
    this.cluster = cluster;
    this.events = events;
    this.completed = completed;
    this.progress = progress;
  }

  String vhost() {
    return vhost;
  }

  String name() {
    return name;
  }

  @Override
  protected void starting() {
    enter(State.STARTING, "");
  }

  @Override
  protected void done() {
    LOGGER.info("{} is done: {} messages moved", this, progress.forwarded());
    completed.run();
  }

  @Override
  protected void failed(String reason, boolean isNew) {
    // Once for each reason: an attempt may fail every few seconds, for days.
    if (isNew) {
      LOGGER.warn("{} does not run: {}", this, reason);
    } else {
      LOGGER.debug("{} does not run: {}", this, reason);
    }
    enter(State.TERMINATED, reason);
  }

  @Override
  protected boolean mend(String reason) {
    if (removesUserId || !reason.contains(OTHER_USER)) {
      return false;
    }
    removesUserId = true;
    LOGGER.warn("{} removes the user-id of messages: {}", this, reason);
    return true;
  }

  @Override
  protected boolean moveAll()
      throws ConnectException, TransferException, IOException, InterruptedException {
    BrokerConnection source = null;
    BrokerConnection destination = null;
    try {
      source = open("source", definition.source().uris(), connectionName());
      destination = open("destination", definition.destination().uris(), connectionName());
      Topology.declareDestination(destination.connection(), definition.destination());
      FoundQueue taken = Topology.declareSource(source.connection(), definition.source());
      ShovelForm form =
          new ShovelForm(
              definition.destination(), stamp(source.uri(), destination.uri()), removesUserId);
      Transfer moving =
          new Transfer(
              definition.route(taken.name(), taken.ready()),
              source,
              taken.channel(),
              destination,
              form,
              progress);
      running(source.uri(), destination.uri());
      return move(moving, Transfer::run);
    } finally {
      close(destination);
      close(source);
    }
  }

  private String connectionName() {
    return "Shovel " + name;
  }

  private void running(BrokerUri source, BrokerUri destination) {
    phase = new Phase(State.RUNNING, Instant.now(), "", source, destination);
    LOGGER.info("{} runs, from {} to {}", this, source, destination);
    events.happened(ShovelEvent.entered(status()));
  }

  private void enter(State state, String reason) {
    Phase before = phase;
    phase = new Phase(state, Instant.now(), reason, null, null);
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
