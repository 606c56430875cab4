package io.mayflymq.server.standby;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.config.StandbySettings;
import io.mayflymq.server.definitions.BrokerDefinitions;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.tls.ClientTls;
import io.mayflymq.server.tls.TlsException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This broker as the standby of another one, its primary: it keeps copies of the primary's
 * definitions and messages, and takes no clients until it is promoted. All is done on one thread;
 * the other methods may be called by any.
 */
public final class Standby implements AutoCloseable {
  /** The directory with the copies, in the data directory. */
  public static final String DIRECTORY = "standby";

  private static final Logger LOGGER = LoggerFactory.getLogger(Standby.class);
  private static final long SEGMENT_BYTES = 16L << 20;
  private static final long CONNECT_MILLIS = 5_000;

  /**
   * What surrounds it.
   *
   * @param sessions refuses clients
   * @param gate that through which all changes of files pass
   * @param recovered how many messages the broker has of its own
   * @param whenFirst begins what only the first does
   */
  public record Surroundings(
      Broker broker,
      BrokerDefinitions definitions,
      Sessions sessions,
      FileGate gate,
      long recovered,
      BrokerThreads threads,
      Runnable whenFirst) {}

  /** A promotion is refused. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  private final StandbySettings settings;
  private final Path directory;
  private final Surroundings surroundings;
  private final List<PrimaryClient> clients;
  private final Rounds rounds;
  private final ExecutorService pool;
  private final List<String> primaries;
  private CopyStore store;
  private volatile PeriodicWork thread;
  private volatile StandbyStatus status;
  private long complete;
  private long failures;
  private long failedMillis;
  private String failure = "";
  private long moved;
  private boolean isCatchingUp;

  /** Whether the last round was complete; changes are logged. */
  private boolean isComplete;

  private volatile boolean closed;

  private Standby(
      StandbySettings settings,
      Path directory,
      Surroundings surroundings,
      ExecutorService pool,
      HttpClient http,
      CopyStore store) {
    this.settings = settings;
    this.directory = directory;
    this.surroundings = surroundings;
    this.pool = pool;
    this.store = store;
    this.clients = settings.primaries().stream().map(uri -> new PrimaryClient(http, uri)).toList();
    this.primaries = clients.stream().map(PrimaryClient::toString).toList();
    this.rounds = new Rounds(clients, surroundings.definitions());
    tell();
  }

  /**
   * Opens the copies. If this broker is not the first yet, clients are refused from then on.
   *
   * @param dataDir the data directory
   * @throws IOException if the copies cannot be read, or the broker has messages of its own; the
   *     message tells what to do
   * @throws TlsException if a certificate or a key cannot be used
   */
  public static Standby open(StandbySettings settings, Path dataDir, Surroundings surroundings)
      throws IOException, TlsException {
    Path directory = dataDir.resolve(DIRECTORY);
    if (!CopyStore.isIn(directory) && surroundings.recovered() > 0) {
      throw new IOException(
          ("key 'standby.primary.uri' is set, and this broker has %d messages of its own: expected"
                  + " none, as promoting a standby replaces them. Start it with an empty data"
                  + " directory, or without this key")
              .formatted(surroundings.recovered()));
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(Duration.ofMillis(CONNECT_MILLIS));
    if (settings.primaries().stream().map(URI::getScheme).anyMatch("https"::equals)) {
      builder
          .sslContext(ClientTls.context(settings.tls()))
          .sslParameters(new SSLParameters(null, settings.tls().versions().toArray(String[]::new)));
    }
    CopyStore store = CopyStore.open(directory, surroundings.gate(), SEGMENT_BYTES);
    store.commit();
    ExecutorService pool = surroundings.threads().auxiliaryPool("standby-http", 2);
    Standby standby =
        new Standby(settings, directory, surroundings, pool, builder.executor(pool).build(), store);
    if (!standby.isFirst()) {
      surroundings.sessions().refuseAll(standby.refusal());
    }
    return standby;
  }

  private String refusal() {
    return "this broker is the standby of %s and takes no clients; mayflyctl promote makes it the first"
        .formatted(String.join(", ", primaries));
  }

  /** Returns whether it is the first, and follows no more. */
  public boolean isFirst() {
    return status.state() == StandbyStatus.State.FIRST;
  }

  /** Begins to follow, or goes on with a promotion that was interrupted. */
  public void start() {
    if (isFirst()) {
      LOGGER.warn(
          "this broker was the standby of {}, and is the first since it was promoted: remove the"
              + " keys standby.primary from its configuration",
          String.join(", ", primaries));
      return;
    }
    thread = surroundings.threads().periodic("standby");
    if (store.state() == CopyStore.State.PROMOTING) {
      LOGGER.info("the promotion of this standby goes on");
      thread.soon("the promotion", this::finishPromotion);
    } else {
      LOGGER.info(
          "this broker is the standby of {}: it takes no clients until mayflyctl promote",
          String.join(", ", primaries));
      thread.soon("following the primary", this::round);
    }
    thread.repeat(
        "following the primary", () -> isCatchingUp ? 1 : settings.intervalMillis(), this::round);
  }

  /** Returns how far it has come. */
  public StandbyStatus status() {
    StandbyStatus told = status;
    long lag =
        told.state() == StandbyStatus.State.FIRST || told.completeMillis() == 0
            ? told.state() == StandbyStatus.State.FIRST ? 0 : -1
            : Math.max(0, now() - told.completeMillis());
    return new StandbyStatus(
        told.state(),
        told.primaries(),
        told.sinceMillis(),
        told.completeMillis(),
        lag,
        told.lagMessages(),
        told.messages(),
        told.bytes(),
        told.copiedMessages(),
        told.copiedBytes(),
        told.rounds(),
        told.failures(),
        told.failedMillis(),
        told.failure(),
        told.moved());
  }

  private long now() {
    return surroundings.broker().shards().get(0).clockMillis();
  }

  private void tell() {
    boolean isFirst = store.state() == CopyStore.State.FIRST;
    status =
        new StandbyStatus(
            StandbyStatus.State.valueOf(store.state().name()),
            primaries,
            store.sinceMillis(),
            store.completeMillis(),
            0,
            isFirst ? 0 : rounds.lagMessages(),
            store.count(),
            store.bytes(),
            rounds.copiedMessages(),
            rounds.copiedBytes(),
            complete,
            failures,
            failedMillis,
            failure,
            moved);
  }

  private void round() {
    if (store.state() != CopyStore.State.FOLLOWING) {
      return;
    }
    isCatchingUp = false;
    try {
      long before = rounds.copiedBytes();
      String missing = rounds.run(store, now());
      if (missing == null) {
        complete++;
        if (!isComplete) {
          LOGGER.info("the standby is complete");
        }
        isComplete = true;
      } else {
        failed(missing);
        isCatchingUp = rounds.copiedBytes() > before;
      }
    } catch (PrimaryException e) {
      failed(e.getMessage());
      if (rounds.mustBeginAnew()) {
        reopen();
      }
    } catch (IOException e) {
      failed("the copies cannot be written: " + e.getMessage());
      reopen();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      tell();
    }
  }

  private void failed(String why) {
    if (closed) {
      return;
    }
    failures++;
    failedMillis = now();
    if (isComplete || !why.equals(failure)) {
      LOGGER.warn("the standby is not complete: {}", why);
    }
    isComplete = false;
    failure = why;
  }

  private void reopen() {
    store.close();
    if (closed) {
      return;
    }
    rounds.reset();
    try {
      store = CopyStore.open(directory, surroundings.gate(), SEGMENT_BYTES);
    } catch (IOException e) {
      LOGGER.error("the copies of the standby cannot be opened again: {}", e.getMessage());
    }
  }

  /**
   * Makes this broker the first.
   *
   * @param force although the primary answers, or nothing complete was copied
   * @return done when it has begun, durably; fails with a {@link RefusedException}
   */
  public CompletableFuture<Void> promote(boolean force) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    if (isFirst() || thread == null) {
      begun.completeExceptionally(new RefusedException("this broker is the first already"));
      return begun;
    }
    thread.soon("the promotion", () -> beginPromotion(force, begun));
    return begun;
  }

  private void beginPromotion(boolean force, CompletableFuture<Void> begun) {
    try {
      if (store.state() == CopyStore.State.FOLLOWING) {
        requirePromotable(force);
        store.setState(CopyStore.State.PROMOTING);
        store.commit();
        tell();
        LOGGER.info("this standby becomes the first: it follows {} no more", primaries);
      }
      begun.complete(null);
    } catch (IOException e) {
      reopen();
      begun.completeExceptionally(
          new RefusedException("the promotion cannot be noted on the disk: " + e.getMessage()));
      return;
    } catch (RefusedException e) {
      begun.completeExceptionally(e);
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      begun.completeExceptionally(new RefusedException("the broker is stopping"));
      return;
    }
    finishPromotion();
  }

  private void requirePromotable(boolean force) throws RefusedException, InterruptedException {
    if (force) {
      round();
      return;
    }
    for (PrimaryClient client : clients) {
      if (answers(client)) {
        throw new RefusedException(
            ("the primary %s still answers: stop it first, or its clients and those of this broker"
                    + " see different messages. With --force this broker becomes the first anyway")
                .formatted(client));
      }
    }
    if (store.completeMillis() == 0) {
      throw new RefusedException(
          "nothing was copied completely from %s so far. With --force this broker becomes the first anyway"
              .formatted(String.join(", ", primaries)));
    }
  }

  private static boolean answers(PrimaryClient client) throws InterruptedException {
    try {
      client.state();
      return true;
    } catch (PrimaryException e) {
      return e.hasAnswered();
    }
  }

  private void finishPromotion() {
    if (store.state() != CopyStore.State.PROMOTING) {
      return;
    }
    try {
      byte[] definitions = store.definitions();
      if (definitions != null) {
        Rounds.define(surroundings.definitions(), definitions);
      }
      Promotion promotion = new Promotion(surroundings.broker(), this::moved);
      promotion.run(store);
      moved = promotion.moved();
      store.setState(CopyStore.State.FIRST);
      store.dropAll();
      store.commit();
      failure = "";
      tell();
      LOGGER.info("this broker is the first now, with {} messages of the primary", moved);
      surroundings.whenFirst().run();
      surroundings.sessions().refuseAll(null);
    } catch (IOException | DefinitionsException | RuntimeException e) {
      failed("the promotion has failed and can be repeated: " + e.getMessage());
      tell();
    }
  }

  private void moved(long messages) {
    moved = messages;
    tell();
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    closed = true;
    if (thread != null) {
      thread.close();
    }
    pool.shutdownNow();
    store.close();
  }

  /** Names the primary. */
  @Override
  public String toString() {
    return primaries.stream().collect(Collectors.joining(", ", "standby of ", ""));
  }
}
