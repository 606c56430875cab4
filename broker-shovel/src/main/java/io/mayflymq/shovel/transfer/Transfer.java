package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.Burst;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
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

  /** What happens on the connections. */
  private sealed interface Event {
    /** The source has sent a message. */
    final class Delivered implements Event {
      private final Envelope envelope;
      private final BasicProperties properties;
      private final byte[] body;

      Delivered(Envelope envelope, BasicProperties properties, byte[] body) {
        this.envelope = envelope;
        this.properties = properties;
        this.body = body;
      }
    }

    /** The destination has confirmed messages, or refused them. */
    record Settled(long number, boolean multiple, boolean taken) implements Event {}

    /** No queue of the destination takes a message; it will be confirmed nevertheless. */
    record Returned(String text, String exchange, String key, BasicProperties properties)
        implements Event {}

    /** The destination accepts no messages for now; null when it does again. */
    record Blocked(String reason) implements Event {}

    /** Something has ended. */
    record Ended(String reason, boolean mayRunAtOnce) implements Event {}

    /** It is to stop. */
    record Stop() implements Event {}

    /** Something is to be done when the burst has left. */
    record Perform(Action action) implements Event {}
  }

  /** What is kept of a message until it is confirmed. */
  private record Sent(String exchange, String key, Map<String, Object> headers) {
    boolean isLike(Event.Returned returned) {
      return exchange.equals(returned.exchange)
          && key.equals(returned.key)
          // As text: what comes back has other classes for texts.
          && String.valueOf(headers).equals(String.valueOf(returned.properties.getHeaders()));
    }
  }

  private final Route route;
  private final MessageForm form;
  private final Progress progress;
  private final Channel source;
  private final Channel destination;
  private final Burst fromSource;
  private final Burst toDestination;
  private final boolean confirms;
  private final BlockingQueue<Event> mailbox = new LinkedBlockingQueue<>();
  private final ConfirmWindow<Sent> window = new ConfirmWindow<>();
  private final Deque<Event.Delivered> held = new ArrayDeque<>();
  private final List<Action> actions = new ArrayList<>();

  /** How many messages may still be taken. */
  private long toTake = NO_LIMIT;

  /** How many messages may still be moved. */
  private long toMove = NO_LIMIT;

  private Runnable forgetting;
  private boolean isBlocked;
  private Event.Ended end;
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
    this.form = form;
    this.progress = progress;
    this.fromSource = from.burst();
    this.toDestination = to.burst();
    this.confirms = route.ackMode() == AckMode.ON_CONFIRM;
    this.source = taken;
    if (route.ready() != NO_LIMIT) {
      toTake = progress.remainingOr(route.ready());
    }
    toMove = toTake;
    progress.setRemaining(toMove == NO_LIMIT ? -1 : toMove);
    this.destination = to.connection().createChannel();
    listen(from.connection(), to.connection());
  }

  private void listen(Connection from, Connection to) throws IOException {
    ShutdownListener sourceEnds = cause -> ended("source: ", cause);
    ShutdownListener destinationEnds = cause -> ended("destination: ", cause);
    BlockedListener blocked =
        new BlockedListener() {
          @Override
          public void handleBlocked(String reason) {
            mailbox.add(new Event.Blocked(reason));
          }

          @Override
          public void handleUnblocked() {
            mailbox.add(new Event.Blocked(null));
          }
        };
    from.addShutdownListener(sourceEnds);
    source.addShutdownListener(sourceEnds);
    to.addShutdownListener(destinationEnds);
    destination.addShutdownListener(destinationEnds);
    to.addBlockedListener(blocked);
    // The connections may go on to others.
    forgetting =
        () -> {
          from.removeShutdownListener(sourceEnds);
          to.removeShutdownListener(destinationEnds);
          to.removeBlockedListener(blocked);
        };
    if (confirms) {
      destination.addConfirmListener(
          new ConfirmListener() {
            @Override
            public void handleAck(long number, boolean multiple) {
              mailbox.add(new Event.Settled(number, multiple, true));
            }

            @Override
            public void handleNack(long number, boolean multiple) {
              mailbox.add(new Event.Settled(number, multiple, false));
            }
          });
      destination.addReturnListener(
          (ReturnListener)
              (code, text, exchange, key, properties, body) ->
                  mailbox.add(new Event.Returned(text, exchange, key, properties)));
      // Not confirmSelect(): the client would keep a tree of the numbers that are open.
      destination.rpc(new AMQP.Confirm.Select.Builder().build());
    }
  }

  private void ended(String end, ShutdownSignalException cause) {
    mailbox.add(
        new Event.Ended(end + BrokerConnections.reason(cause), !cause.isInitiatedByApplication()));
  }

  /** Has it end in order. Any thread may call. */
  public void stop() {
    mailbox.add(new Event.Stop());
  }

  /** Closes both channels: what was taken and not acknowledged goes back to its queue. */
  @Override
  public void close() throws IOException {
    forgetting.run();
    source.abort();
    destination.abort();
  }

  /** Has something be done soon, while messages are moved. Any thread may call. */
  public void perform(Action action) {
    mailbox.add(new Event.Perform(action));
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
      consume();
    }
    List<Event> burst = new ArrayList<>();
    long lookedAt = System.nanoTime();
    while (toMove > 0 && !stopped) {
      take(burst, Math.min(lookMillis, progress.millisLeft()));
      if (burst.isEmpty() && isOver()) {
        break;
      }
      work(burst);
      performActions();
      if (end != null) {
        throw new TransferException(end.reason, end.mayRunAtOnce);
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

  private void consume() throws IOException {
    source.basicQos(route.prefetch());
    source.basicConsume(
        route.queue(),
        false,
        route.consumerTag(),
        false,
        false,
        route.consumerArguments(),
        new DefaultConsumer(source) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            mailbox.add(new Event.Delivered(envelope, properties, body));
          }

          @Override
          public void handleCancel(String tag) {
            mailbox.add(new Event.Ended("source: the queue was deleted", true));
          }
        });
  }

  /** Between bursts: what they say on the connections would be kept back by one. */
  private void performActions() throws IOException, TransferException {
    for (Action action : actions) {
      action.run();
    }
    actions.clear();
  }

  private void take(List<Event> burst, long patience) throws InterruptedException {
    burst.clear();
    Event first = mailbox.poll(Math.max(0, patience), TimeUnit.MILLISECONDS);
    if (first != null) {
      burst.add(first);
      mailbox.drainTo(burst, BURST);
    }
  }

  /** Returns whether all that it was to move is gone, although it has not moved as many. */
  private boolean isEmpty() throws IOException {
    return window.open() == 0
        && held.isEmpty()
        && mailbox.isEmpty()
        && source.messageCount(route.queue()) == 0;
  }

  /** Waits until the destination has confirmed what it was sent, and takes nothing more. */
  private void drain(List<Event> burst) throws IOException, InterruptedException {
    toTake = 0;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS);
    while (window.open() > 0 && this.end == null) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return;
      }
      take(burst, left);
      work(burst);
    }
  }

  private void work(List<Event> burst) throws IOException {
    toDestination.begin();
    fromSource.begin();
    try {
      for (Event event : burst) {
        handle(event);
      }
      if (route.ackMode() == AckMode.NO_ACK) {
        acknowledge(takenTag);
      }
    } finally {
      // Both, whatever fails: a burst that goes on would keep everything back.
      try {
        toDestination.end();
      } finally {
        if (route.ackMode() == AckMode.ON_PUBLISH) {
          acknowledge(takenTag);
        }
        fromSource.end();
      }
    }
    if (confirms) {
      acknowledge(window.takeSettledTag());
    }
    progress.setPending(window.open() + held.size());
  }

  private void acknowledge(long tag) throws IOException {
    if (tag != 0) {
      source.basicAck(tag, true);
      takenTag = 0;
    }
  }

  private void handle(Event event) throws IOException {
    if (event instanceof Event.Delivered delivered) {
      delivered(delivered);
    } else if (event instanceof Event.Settled settled) {
      moved(window.settled(settled.number, settled.multiple, settled.taken, this::refused));
    } else if (event instanceof Event.Returned returned) {
      if (window.returned(sent -> sent.isLike(returned)) > 0) {
        refusal =
            "destination: no queue takes a message of exchange '%s' with key '%s' (%s)"
                .formatted(returned.exchange, returned.key, returned.text);
      }
    } else if (event instanceof Event.Blocked blocked) {
      isBlocked = blocked.reason != null;
      progress.setBlocked(Objects.requireNonNullElse(blocked.reason, ""));
      while (!isBlocked && !held.isEmpty()) {
        publish(held.poll());
      }
    } else if (event instanceof Event.Stop) {
      stopped = true;
    } else if (event instanceof Event.Perform perform) {
      actions.add(perform.action);
    } else if (event instanceof Event.Ended ended && end == null) {
      end = ended;
    }
  }

  private void delivered(Event.Delivered delivered) throws IOException {
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

  private void publish(Event.Delivered delivered) throws IOException {
    Envelope envelope = delivered.envelope;
    String exchange = route.exchange() == null ? envelope.getExchange() : route.exchange();
    String key = route.key() == null ? envelope.getRoutingKey() : route.key();
    BasicProperties properties = form.of(envelope, delivered.properties);
    long tag = envelope.getDeliveryTag();
    if (confirms) {
      window.published(tag, new Sent(exchange, key, properties.getHeaders()));
    } else {
      takenTag = tag;
    }
    destination.basicPublish(
        exchange, key, confirms && !route.dropsUnroutable(), properties, delivered.body);
    if (!confirms) {
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
      source.basicNack(tag, false, true);
    } catch (IOException e) {
      mailbox.add(new Event.Ended("source: " + BrokerConnections.reason(e), true));
    }
  }
}
