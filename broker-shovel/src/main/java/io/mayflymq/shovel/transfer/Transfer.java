package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.Channel;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Messages on their way from one connection to another, from the first consumer to the first
 * failure. All is done on the thread of {@link #run}: the connections' own threads put what happens
 * into a mailbox. What has come together leaves together, so that a burst is one write.
 *
 * <p>At most as many messages are on their way as the prefetch count of the source allows; nothing
 * else holds any.
 */
public final class Transfer implements AutoCloseable {
  private static final int BURST = 512;

  /** How long it waits for a message before it looks whether there is one at all. */
  private static final long IDLE_MILLIS = 1_000;

  /** How long the destination may take to confirm what has been sent, at an orderly end. */
  private static final long DRAIN_MILLIS = 2_000;

  /** How often it is asked whether to go on, if it may not. */
  private static final long LOOK_MILLIS = 50;

  private static final long NO_LIMIT = Route.NO_LIMIT;

  /** Something that is done between messages, on the thread that moves them. */
  @FunctionalInterface
  public interface Action {
    /**
     * Does it.
     *
     * @throws IOException if a connection is broken
     * @throws TransferException if no more messages can be moved
     */
    void run() throws IOException, TransferException;
  }

  /** Whether to go on. */
  @FunctionalInterface
  public interface Condition {
    /**
     * Looks.
     *
     * @throws IOException if a connection is broken
     */
    boolean holds() throws IOException;
  }

  private final Route route;
  private final Progress progress;
  private final TransferEnds ends;
  private final boolean confirms;
  private final BlockingQueue<TransferEvent> mailbox = new LinkedBlockingQueue<>();
  private final ConfirmWindow<Object> window = new ConfirmWindow<>();
  private final Deque<TransferEvent.Delivered> held = new ArrayDeque<>();
  private final List<Action> actions = new ArrayList<>();

  /** How many messages may still be taken. */
  private long toTake = NO_LIMIT;

  /** How many messages may still be moved. */
  private long toMove = NO_LIMIT;

  private boolean isBlocked;
  private TransferEvent.Ended end;
  private String refusal;
  private boolean stopped;

  /** The last message that was taken and, in modes without confirms, has not been acknowledged. */
  private long takenTag;

  /**
   * Prepares both channels.
   *
   * @param taken the channel of the first connection that messages are taken on
   * @param form how messages leave
   * @param progress is told how far it has got
   * @throws IOException if an end cannot be had
   */
  public Transfer(
      Route route,
      BrokerConnection from,
      Channel taken,
      BrokerConnection to,
      MessageForm form,
      Progress progress)
      throws IOException {
    this.route = route;
    this.progress = progress;
    this.confirms = route.ackMode() == AckMode.ON_CONFIRM;
    if (route.ready() != NO_LIMIT) {
      toTake = progress.remainingOr(route.ready());
    }
    toMove = toTake;
    progress.setRemaining(toMove == NO_LIMIT ? -1 : toMove);
    boolean staysWithin = from.uri().isLocal() && to.uri().isLocal() && form.keepsProperties();
    this.ends =
        staysWithin
            ? new InnerEnds(route, from, taken, to, mailbox::add)
            : new ClientEnds(route, from, taken, to, form, mailbox::add);
  }

  /** Has it end in order. Any thread may call. */
  public void stop() {
    mailbox.add(new TransferEvent.Stop());
  }

  /** Closes both channels: what was taken and not acknowledged goes back to its queue. */
  @Override
  public void close() throws IOException {
    ends.close();
  }

  /** Has something be done soon, while messages are moved. Any thread may call. */
  public void perform(Action action) {
    mailbox.add(new TransferEvent.Perform(action));
  }

  /**
   * Moves messages until it has moved all that it was to move, or is stopped.
   *
   * @return whether it has moved all
   * @throws TransferException if a connection or a queue has ended, or messages were refused
   */
  public boolean run() throws IOException, TransferException, InterruptedException {
    return run(route.untilEmpty() ? IDLE_MILLIS : Long.MAX_VALUE, () -> true);
  }

  /**
   * Moves messages until it has moved all that it was to move, is stopped, or is not to go on.
   *
   * @param goesOn is asked many times a second whether to go on
   * @return whether it was not stopped
   * @throws TransferException if a connection or a queue has ended, or messages were refused
   */
  public boolean runWhile(Condition goesOn)
      throws IOException, TransferException, InterruptedException {
    return run(LOOK_MILLIS, goesOn);
  }

  private boolean run(long lookMillis, Condition goesOn)
      throws IOException, TransferException, InterruptedException {
    if (toMove > 0) {
      ends.consume();
    }
    List<TransferEvent> burst = new ArrayList<>();
    long lookedAt = System.nanoTime();
    while (toMove > 0 && !stopped) {
      take(burst, Math.min(lookMillis, progress.millisLeft()));
      if (burst.isEmpty() && isOver()) {
        break;
      }
      work(burst);
      performActions();
      if (end != null) {
        throw new TransferException(end.reason(), end.mayRunAtOnce());
      }
      if (refusal != null) {
        drain(burst);
        throw new TransferException(refusal, false);
      }
      long now = System.nanoTime();
      if (TimeUnit.NANOSECONDS.toMillis(now - lookedAt) >= lookMillis) {
        lookedAt = now;
        if (!goesOn.holds()) {
          break;
        }
      }
    }
    drain(burst);
    return !stopped;
  }

  private boolean isOver() throws IOException {
    return progress.millisLeft() <= 0 || (route.untilEmpty() && isEmpty());
  }

  /** Between bursts: what they say on the connections would be kept back by one. */
  private void performActions() throws IOException, TransferException {
    for (Action action : actions) {
      action.run();
    }
    actions.clear();
  }

  private void take(List<TransferEvent> burst, long patience) throws InterruptedException {
    burst.clear();
    TransferEvent first = mailbox.poll(Math.max(0, patience), TimeUnit.MILLISECONDS);
    if (first != null) {
      burst.add(first);
      mailbox.drainTo(burst, BURST);
    }
  }

  /** Returns whether all that it was to move is gone, although it has not moved as many. */
  private boolean isEmpty() throws IOException {
    return window.open() == 0 && held.isEmpty() && mailbox.isEmpty() && ends.ready() == 0;
  }

  /**
   * Waits until the destination has confirmed what it was sent, and all that was asked is handled;
   * takes nothing more.
   */
  private void drain(List<TransferEvent> burst) throws IOException, InterruptedException {
    toTake = 0;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS);
    long left = DRAIN_MILLIS;
    while (window.open() > 0 && this.end == null && left > 0) {
      take(burst, left);
      work(burst);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    ends.awaitHandled(DRAIN_MILLIS);
  }

  private void work(List<TransferEvent> burst) throws IOException {
    ends.begin();
    try {
      for (TransferEvent event : burst) {
        handle(event);
      }
      if (route.ackMode() == AckMode.NO_ACK) {
        acknowledge(takenTag);
      }
    } finally {
      // Whatever fails: a burst that goes on would keep everything back.
      try {
        ends.sendPublished();
      } finally {
        if (route.ackMode() == AckMode.ON_PUBLISH) {
          acknowledge(takenTag);
        }
        ends.sendSettled();
      }
    }
    if (confirms) {
      acknowledge(window.takeSettledTag());
    }
    progress.setPending(window.open() + held.size());
  }

  private void acknowledge(long tag) throws IOException {
    if (tag != 0) {
      ends.acknowledge(tag);
      takenTag = 0;
    }
  }

  private void handle(TransferEvent event) throws IOException {
    if (event instanceof TransferEvent.Delivered delivered) {
      delivered(delivered);
    } else if (event instanceof TransferEvent.Several several) {
      for (TransferEvent.Delivered delivered : several.messages()) {
        delivered(delivered);
      }
    } else if (event instanceof TransferEvent.Settled settled) {
      moved(window.settled(settled.number(), settled.multiple(), settled.taken(), this::refused));
    } else if (event instanceof TransferEvent.Returned returned) {
      if (window.returned(returned.which()) > 0) {
        refusal =
            "destination: no queue takes a message of exchange '%s' with key '%s' (%s)"
                .formatted(returned.exchange(), returned.key(), returned.text());
      }
    } else if (event instanceof TransferEvent.Blocked blocked) {
      isBlocked = blocked.reason() != null;
      progress.setBlocked(Objects.requireNonNullElse(blocked.reason(), ""));
      while (!isBlocked && !held.isEmpty()) {
        publish(held.poll());
      }
    } else if (event instanceof TransferEvent.Stop) {
      stopped = true;
    } else if (event instanceof TransferEvent.Perform perform) {
      actions.add(perform.action());
    } else if (event instanceof TransferEvent.Ended ended && end == null) {
      end = ended;
    }
  }

  private void delivered(TransferEvent.Delivered delivered) throws IOException {
    if (toTake <= 0) {
      return; // It goes back to the queue when the channel is closed.
    }
    if (toTake != NO_LIMIT) {
      toTake--;
    }
    if (isBlocked) {
      held.add(delivered);
    } else {
      publish(delivered);
    }
  }

  private void publish(TransferEvent.Delivered delivered) throws IOException {
    Object sent = delivered.publish();
    if (confirms) {
      window.published(delivered.tag(), sent);
    } else {
      takenTag = delivered.tag();
      moved(1);
    }
  }

  private void moved(int count) {
    progress.moved(count);
    if (toMove != NO_LIMIT) {
      toMove -= count;
      progress.setRemaining(toMove);
    }
  }

  /** Puts a message back into the queue. */
  private void refused(long tag) {
    if (refusal == null) {
      refusal = "destination: a message was refused, as by a queue that is full";
    }
    try {
      ends.putBack(tag);
    } catch (IOException e) {
      mailbox.add(new TransferEvent.Ended("source: " + BrokerConnections.reason(e), true));
    }
  }
}
