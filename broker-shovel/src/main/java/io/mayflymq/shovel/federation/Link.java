package io.mayflymq.shovel.federation;

import com.rabbitmq.client.Connection;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.client.ConnectException;
import io.mayflymq.shovel.federation.LinkStatus.State;
import io.mayflymq.shovel.transfer.Mover;
import io.mayflymq.shovel.transfer.Progress;
import io.mayflymq.shovel.transfer.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gets the messages of one exchange or queue of an upstream. Any thread may call. */
abstract class Link extends Mover {
  private static final Logger LOGGER = LoggerFactory.getLogger(Link.class);

  private final Federated federated;
  private final Upstream upstream;
  private final Progress progress;
  private volatile Phase phase = new Phase(State.STARTING, Instant.now(), "", null);
  private volatile boolean dissolves;

  private record Phase(State state, Instant since, String error, BrokerUri uri) {}

  Link(
      Federated federated,
      Upstream upstream,
      BrokerConnections connections,
      BrokerThreads threads) {
    this(federated, upstream, connections, new Progress(0), threads);
  }

  private Link(
      Federated federated,
      Upstream upstream,
      BrokerConnections connections,
      Progress progress,
      BrokerThreads threads) {
    super(
        "federation " + federated.name(),
        connections,
        upstream.reconnectDelayMillis(),
        progress,
        threads);
    this.federated = federated;
    this.upstream = upstream;
    this.progress = progress;
  }

  final Federated federated() {
    return federated;
  }

  final Upstream upstream() {
    return upstream;
  }

  final Progress progress() {
    return progress;
  }

  /** Returns the name of the exchange or queue at the upstream. */
  final String upstreamObject() {
    return upstream.nameOf(federated);
  }

  /**
   * Returns the name of what it has declared there for itself, and has not deleted; null if there
   * is nothing, or it is not known.
   */
  String leftAtUpstream() {
    return null;
  }

  /**
   * Has it stop for good: with its end, what it has declared at the upstream is deleted. Follow it
   * with {@link #stop}.
   */
  final void dissolve() {
    dissolves = true;
    end();
  }

  /** Returns whether it stops for good. */
  final boolean dissolves() {
    return dissolves;
  }

  /** The connections of one attempt. */
  record Ends(BrokerConnection upstream, BrokerConnection here) {}

  /**
   * Gets messages, with open connections.
   *
   * @throws IOException if a connection is broken
   */
  abstract void link(Ends ends) throws IOException, TransferException, InterruptedException;

  @Override
  protected final boolean moveAll()
      throws ConnectException, TransferException, IOException, InterruptedException {
    BrokerConnection from = null;
    BrokerConnection here = null;
    try {
      String name =
          "Federation link (upstream: %s, policy: %s)"
              .formatted(
                  upstream.name(),
                  Objects.requireNonNullElse(federated.selection().policy(), "none"));
      from = open("upstream", upstream.uris(), name);
      here = open("downstream", List.of(BrokerUri.local(federated.vhost())), name);
      link(new Ends(from, here));
      return false;
    } finally {
      close(here);
      close(from);
    }
  }

  /** Returns the name of the upstream's cluster. */
  static String clusterOf(Connection connection) {
    return String.valueOf(connection.getServerProperties().get("cluster_name"));
  }

  /** Returns the upstream as the header of a message names it. */
  final Map<String, Object> place(BrokerConnection from) {
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("uri", from.uri().toString());
    place.put(federated.kind().wireName(), upstreamObject());
    place.put("cluster-name", clusterOf(from.connection()));
    place.put("vhost", from.uri().vhost());
    return place;
  }

  /** Notes that it runs. */
  final void running(BrokerUri uri) {
    phase = new Phase(State.RUNNING, Instant.now(), "", uri);
    LOGGER.info("{} runs, from {}", this, uri);
  }

  @Override
  protected final void starting() {
    phase = new Phase(State.STARTING, Instant.now(), "", null);
  }

  @Override
  protected final void done() {}

  @Override
  protected final void failed(String reason, boolean isNew) {
    phase = new Phase(State.ERROR, Instant.now(), reason, null);
    // Once for each reason: an attempt may fail every few seconds, for days.
    if (isNew) {
      LOGGER.warn("{} does not run: {}", this, reason);
    } else {
      LOGGER.debug("{} does not run: {}", this, reason);
    }
  }

  final LinkStatus status() {
    Phase now = phase;
    return new LinkStatus(
        federated,
        upstream.name(),
        upstreamObject(),
        id(),
        federated.kind() == Federated.Kind.QUEUE ? upstream.consumerTag() : "",
        now.state,
        now.since,
        now.uri == null ? String.valueOf(upstream.uris().get(0)) : now.uri.toString(),
        now.error,
        progress.forwarded());
  }

  /** Returns eight digits that are the same after a restart. */
  final String id() {
    CRC32 sum = new CRC32();
    sum.update(
        String.join(
                "\0",
                federated.kind().wireName(),
                federated.vhost(),
                federated.name(),
                upstream.name(),
                upstreamObject())
            .getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(sum.getValue());
  }

  @Override
  public final String toString() {
    return "federation of %s '%s' in vhost '%s' with upstream '%s'"
        .formatted(
            federated.kind().wireName(), federated.name(), federated.vhost(), upstream.name());
  }
}
