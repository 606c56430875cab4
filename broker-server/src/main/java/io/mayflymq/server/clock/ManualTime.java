package io.mayflymq.server.clock;

import io.mayflymq.core.runtime.SettableClock;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.server.channel.HeldClients;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.connection.OpenConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * The time of a broker whose clock is moved by hand. Everything that is due happens in the order of
 * its time: the clock goes from one moment at which a timer is due to the next, and goes on when
 * all that follows has happened, has been stored, and has been written to the sockets of clients.
 * What clients send meanwhile is read when the clock stands again, so that the same calls have the
 * same results. Any thread may call.
 *
 * <p>The work is done on the one shard that such a broker has, a moment at a time; its sockets are
 * written in between.
 */
public final class ManualTime {
  /** After so many moments the sockets have their turn. */
  private static final int MOST_MOMENTS = 64;

  /** How long a client may leave what was sent to it unread before it is no longer waited for. */
  private static final long UNREAD_NANOS = 1_000_000_000;

  private final SettableClock clock;
  private final Shard shard;
  private final List<Partition> partitions;
  private final BooleanSupplier metadataAtRest;
  private final ConnectionEnvironment environment;
  private final HeldClients clients;
  private final Deque<Move> moves = new ArrayDeque<>();
  private long unwritten;
  private long unwrittenSinceNanos;

  /**
   * @param target the time to move to, from the time of the first moment that is due
   * @param moved completed with the time at the end
   */
  private record Move(LongUnaryOperator target, CompletableFuture<Long> moved) {}

  /**
   * Creates one for a broker that has one shard.
   *
   * @param clock what its deadlines go by
   * @param metadataAtRest whether all changes of metadata are stored
   * @param environment its connections
   */
  public ManualTime(
      SettableClock clock, BooleanSupplier metadataAtRest, ConnectionEnvironment environment) {
    this.clock = clock;
    this.shard = environment.broker().shards().get(0);
    this.partitions = environment.broker().partitions().withStores();
    this.metadataAtRest = metadataAtRest;
    this.environment = environment;
    this.clients = environment.held();
  }

  /** Returns what time it is, in ms since the epoch. */
  public long now() {
    return clock.millis();
  }

  /**
   * Returns when something is due next, in ms since the epoch; {@link Long#MAX_VALUE} if nothing
   * is.
   */
  public CompletableFuture<Long> next() {
    return shard.call(() -> shard.timers().firstEffectMillis());
  }

  /**
   * Moves the clock.
   *
   * @param millis in ms since the epoch; a time that is over does not move it, one after {@link
   *     SettableClock#LAST} counts as that
   * @return completed with the time that it shows when all that was due has happened
   */
  public CompletableFuture<Long> moveTo(long millis) {
    return move(first -> millis);
  }

  /** Moves the clock on by so many ms, 0 or more, but not beyond {@link SettableClock#LAST}. */
  public CompletableFuture<Long> moveBy(long millis) {
    return move(first -> clock.millis() + millis);
  }

  /** Moves the clock to the next moment at which something is due; not at all if nothing is. */
  public CompletableFuture<Long> moveToNext() {
    return move(first -> first == Long.MAX_VALUE ? clock.millis() : first);
  }

  private CompletableFuture<Long> move(LongUnaryOperator target) {
    Move move = new Move(target, new CompletableFuture<>());
    shard.execute(
        () -> {
          moves.addLast(move);
          if (moves.size() == 1) {
            clients.hold();
            unwrittenSinceNanos = System.nanoTime();
            shard.loop().executeLater(() -> settle(move, Long.MIN_VALUE));
          }
        });
    return move.moved;
  }

  /**
   * Goes on when all has happened that follows from the present time.
   *
   * @param target where the move ends; {@link Long#MIN_VALUE} if that is not known yet
   */
  private void settle(Move move, long target) {
    long end = target;
    for (int i = 0; i < MOST_MOMENTS && isSettled(end == clock.millis()); i++) {
      if (end == clock.millis()) {
        end(move);
        return;
      }
      if (end == Long.MIN_VALUE) {
        end = move.target.applyAsLong(shard.timers().firstEffectMillis());
        end = Math.min(Math.max(end, clock.millis()), SettableClock.LAST.toEpochMilli());
      }
      clock.set(Math.min(end, shard.timers().nextDeadlineMillis(clock.millis())));
      shard.fireTimers();
    }
    clients.send();
    long known = end;
    shard.loop().executeLater(() -> settle(move, known));
  }

  private boolean isSettled(boolean atEnd) {
    return shard.isIdle()
        && metadataAtRest.getAsBoolean()
        && partitions.stream().allMatch(partition -> partition.store().isAtRest())
        // What the threads of the disk have told may have come after the first look.
        && shard.isIdle()
        && isWritten(atEnd);
  }

  /** Whether clients can be sent more, and at the end whether all was written to their sockets. */
  private boolean isWritten(boolean atEnd) {
    if (atEnd) {
      clients.send();
    }
    long left = 0;
    boolean waits = false;
    for (OpenConnection connection : environment.open()) {
      long bytes = connection.unwrittenBytes();
      left += bytes;
      waits |= bytes > 0 && (atEnd || !connection.isWritable());
    }
    long now = System.nanoTime();
    if (!waits || left != unwritten) {
      unwritten = left;
      unwrittenSinceNanos = now;
      return !waits;
    }
    return now - unwrittenSinceNanos > UNREAD_NANOS;
  }

  private void end(Move move) {
    moves.removeFirst();
    Move following = moves.peekFirst();
    if (following == null) {
      clients.letGo();
    } else {
      shard.loop().executeLater(() -> settle(following, Long.MIN_VALUE));
    }
    move.moved.complete(clock.millis());
  }
}
