package io.mayflymq.core.vhost.queue;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Holds what arrives for a queue while its place changes. On the queue's shard, but for one method.
 *
 * <p>A queue whose place changes is two queues for a while: the one at the old place, and its
 * successor at the new one. What clients do goes on arriving at the old place, from connections and
 * nodes that do not know better yet, and may arrive at the new one early. The gate of a queue holds
 * what arrives until it is decided which of the two serves, in the order of arrival, and then lets
 * it in or sends it on to the successor.
 *
 * <pre>{@code
 *                 requests     commands of batches
 * OPEN            served       applied                the queue serves
 * DRAINING        held         applied                it hands out nothing, and waits for what is outstanding
 * CLOSED          held         held                   it is not decided
 * LEFT            "moved"      sent on                the successor serves
 * }</pre>
 *
 * <p>Requests are answered by a node's own view of the queue (see MovedException), so that the
 * caller turns to the successor itself; commands are sent on by the old place, since only that
 * keeps their order and brings their outcome back.
 *
 * <p>The gate of a queue that has been recovered, and must not start yet, is CLOSED too.
 *
 * <p>The order of a connection's commands needs one thing more, at the other end: the first one
 * that it sends to the new place waits until those that it has sent to the old one have come back
 * (Queue.before, PlaceChanges).
 *
 * @param <Q> the type of queues
 */
public final class QueueGate<Q> {
  /** The queue is at another place now; what was asked was not done. */
  public static final class MovedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public MovedException() {
      super("the queue is at another place now", null, false, false);
    }
  }

  /**
   * Something that was held.
   *
   * @param <Q> the type of queues
   */
  public interface Held<Q> {
    /** The queue serves here. */
    void proceed();

    /** The queue is at another place. */
    void follow(Q successor);
  }

  private enum State {
    OPEN,
    DRAINING,
    CLOSED,
    LEFT
  }

  /** Small: after a start each durable queue of a cluster's node has a gate. */
  private final ArrayDeque<Held<Q>> held = new ArrayDeque<>(0);

  private final CompletableFuture<Q> successor = new CompletableFuture<>();
  private State state = State.OPEN;

  /** Returns whether commands must not be applied now. */
  public boolean holdsCommands() {
    return state == State.CLOSED || state == State.LEFT;
  }

  /** Returns whether requests must not be served now. */
  boolean holdsRequests() {
    return state != State.OPEN;
  }

  /** Returns whether the queue has a successor. */
  public boolean hasLeft() {
    return state == State.LEFT;
  }

  /** Holds commands; to be called if {@link #holdsCommands}. */
  public void hold(Held<Q> commands) {
    if (state == State.LEFT) {
      commands.follow(successor.join());
    } else {
      held.add(commands);
    }
  }

  /**
   * Serves a request, now or when it is decided whether the queue serves.
   *
   * @return fails with {@link MovedException} if it does not
   */
  public <T> CompletableFuture<T> serve(Supplier<CompletableFuture<T>> request) {
    if (!holdsRequests()) {
      return request.get();
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Held<Q> waiting =
        new Held<>() {
          @Override
          public void proceed() {
            serveHeld(request, answer);
          }

          @Override
          public void follow(Q next) {
            answer.completeExceptionally(new MovedException());
          }
        };
    if (state == State.LEFT) {
      waiting.follow(null);
    } else {
      held.add(waiting);
    }
    return answer;
  }

  private static <T> void serveHeld(
      Supplier<CompletableFuture<T>> request, CompletableFuture<T> answer) {
    try {
      request
          .get()
          .whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  answer.complete(result);
                } else {
                  answer.completeExceptionally(failure);
                }
              });
    } catch (Throwable e) {
      // Whatever it is: what is held behind this request waits for no other occasion.
      answer.completeExceptionally(e);
    }
  }

  /** Holds requests from now on. */
  public void drain() {
    state = State.DRAINING;
  }

  /** Holds everything from now on. */
  public void close() {
    state = State.CLOSED;
  }

  /** The queue serves here: lets in what was held. */
  public void open() {
    state = State.OPEN;
    while (state == State.OPEN && !held.isEmpty()) {
      held.poll().proceed();
    }
  }

  /** The queue has a successor: sends on what was held, and what arrives from now on. */
  public void leave(Q to) {
    state = State.LEFT;
    successor.complete(to);
    while (!held.isEmpty()) {
      held.poll().follow(to);
    }
  }

  /**
   * Returns the queue at its new place, once that is in force on this node. Any thread may call.
   */
  public CompletableFuture<Q> successor() {
    return successor;
  }
}
