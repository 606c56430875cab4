package io.mayflymq.server.connection;

import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.channel.PublishingPauses;
import java.util.concurrent.CompletableFuture;

/**
 * What one connection publishes to queues whose publishers wait, as they are paused or have a rate.
 *
 * <p>A message for a queue that is paused is held until none of its queues is paused any more; the
 * client gets {@code connection.blocked} meanwhile, if it has the capability, and nothing that it
 * has sent after the message is handled. When the connection ends before that, the message goes to
 * its queues all the same, as everything that was received: none is lost.
 *
 * <p>A message for a queue that is full and lets publishers wait is with that queue already, or
 * with the {@link io.mayflymq.core.vhost.command.ShardCommandSender}. The connection goes on to be
 * read, so that its client can acknowledge, until very much waits; the client gets {@code
 * connection.blocked} after a moment, since a queue that is full now and then would have it told
 * all the time.
 *
 * <p>Whether a queue is paused follows from policies, which can change in many ways; so it is
 * looked at again and again, only while a message waits. Used on the connection's loop only.
 */
final class PausedPublish {
  private static final long LOOK_MILLIS = 50;

  /** A client is told of a full queue when messages have waited for so long. */
  private static final long FULL_MILLIS = 100;

  private final Shard home;
  private final PublishBlocker blocker;
  private Route<Queue> route;
  private CompletableFuture<Void> admitted;
  private boolean paced;
  private boolean ended;

  /** The queue that messages wait for, as it is full; null if none does. */
  private Queue full;

  private boolean looksAtFull;

  /** Whether the client was told of a full queue. */
  private boolean toldFull;

  /** For how many reasons the client knows that it is blocked. */
  private int reasons;

  PausedPublish(Shard home, PublishBlocker blocker) {
    this.home = home;
    this.blocker = blocker;
  }

  /** Returns whether a message waits. */
  boolean isWaiting() {
    return admitted != null;
  }

  /** Returns whether the connection ends, so that nothing that it publishes waits any more. */
  boolean hasEnded() {
    return ended;
  }

  /** Queues let what was published pass later: the client may be silent, as nothing is read. */
  void keepPace() {
    if (!paced) {
      paced = true;
      blocker.pauseListening();
    }
  }

  /**
   * Some of it has passed.
   *
   * @param waits whether there is more
   * @return whether the connection goes on to read
   */
  boolean paceKept(boolean waits) {
    if (!paced || waits) {
      return false;
    }
    paced = false;
    if (reasons == 0) {
      blocker.resumeListening();
    }
    return true;
  }

  /**
   * Notes whether messages wait for a full queue.
   *
   * @param queue null if none does
   */
  void lookAtFull(Queue queue) {
    full = queue;
    if (queue == null) {
      if (toldFull) {
        toldFull = false;
        unblock();
      }
    } else if (!toldFull && !looksAtFull) {
      looksAtFull = true;
      home.loop().schedule(() -> home.run(this::tellFull), FULL_MILLIS);
    }
  }

  private void tellFull() {
    looksAtFull = false;
    if (full != null && !toldFull && !ended) {
      toldFull = true;
      block(full + " is full");
    }
  }

  /** Returns whether the client was told that what it publishes waits. */
  boolean isTold() {
    return reasons > 0;
  }

  private void block(String reason) {
    reasons++;
    if (reasons == 1) {
      blocker.tellBlocked(reason);
    }
  }

  private void unblock() {
    reasons--;
    if (reasons == 0 && !ended) {
      blocker.tellUnblocked();
      if (paced) {
        blocker.pauseListening();
      }
    }
  }

  /** Returns what is done when a message may go to the queues of its route. */
  CompletableFuture<Void> await(Route<Queue> target) {
    Queue paused = ended ? null : PublishingPauses.in(target);
    if (paused == null) {
      return CompletableFuture.completedFuture(null);
    }
    route = target;
    admitted = new CompletableFuture<>();
    block(paused + " is paused");
    lookLater();
    return admitted;
  }

  private void lookLater() {
    home.loop().schedule(() -> home.run(this::look), LOOK_MILLIS);
  }

  private void look() {
    if (admitted == null) {
      return;
    }
    if (PublishingPauses.isNow(route)) {
      lookLater();
    } else {
      admit();
    }
  }

  /**
   * The connection ends: what waits, and what else was received, waits no longer. Returns whether
   * something was waiting.
   */
  boolean end() {
    boolean waited = isWaiting() || paced || full != null;
    ended = true;
    paced = false;
    if (isWaiting()) {
      admit();
    }
    return waited;
  }

  private void admit() {
    CompletableFuture<Void> done = admitted;
    admitted = null;
    route = null;
    unblock();
    done.complete(null);
  }
}
