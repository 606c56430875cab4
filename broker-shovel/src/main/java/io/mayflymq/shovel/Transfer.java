package io.mayflymq.shovel;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.Burst;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
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
final class Transfer {
  private static final int BURST = 512;

  /** How long it waits for a message before it looks whether there is one at all. */
  private static final long IDLE_MILLIS = 1_000;

  /** How long the destination may take to confirm what has been sent, at an orderly end. */
  private static final long DRAIN_MILLIS = 2_000;

  private static final String TIME_LEFT = "x-time-left";

  private static final long NO_LIMIT = Long.MAX_VALUE;

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

    /** The shovel is to stop. */
    record Stop() implements Event {}
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

  private final ShovelDefinition definition;
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
  private final String queue;

  /** How many messages may still be taken. */
  private long toTake = NO_LIMIT;

  /** How many messages may still be moved. */
  private long toMove = NO_LIMIT;

  private boolean isBlocked;
  private Event.Ended end;
  private String refusal;
  private boolean stopped;

  /** The last message that was taken and, in modes without confirms, has not been acknowledged. */
  private long takenTag;

  /**
   * Declares queues, and prepares both channels.
   *
   * @param form how messages leave
   * @param progress is told how far it has got
   * @throws IOException if an end cannot be had
   */
  Transfer(
      ShovelDefinition definition,
      BrokerConnection from,
      BrokerConnection to,
      MessageForm form,
      Progress progress)
      throws IOException, TransferException {
    this.definition = definition;
    this.form = form;
    this.progress = progress;
    this.fromSource = from.burst();
    this.toDestination = to.burst();
    this.confirms = definition.ackMode() == AckMode.ON_CONFIRM;
    Topology.declareDestination(to.connection(), definition.destination());
    Topology.SourceQueue taken = Topology.declareSource(from.connection(), definition.source());
    this.queue = taken.name();
    this.source = taken.channel();
    long after = definition.source().deleteAfter();
    if (after == ShovelDefinition.QUEUE_LENGTH) {
      toTake = progress.remainingOr(taken.ready());
    } else if (after >= 0) {
      toTake = progress.remainingOr(after);
    }
    toMove = toTake;
    progress.setRemaining(toMove == NO_LIMIT ? -1 : toMove);
    this.destination = to.connection().createChannel();
    listen(from.connection(), to.connection());
  }

  private void listen(Connection from, Connection to) throws IOException {
    from.addShutdownListener(cause -> ended("source: ", cause));
    source.addShutdownListener(cause -> ended("source: ", cause));
    to.addShutdownListener(cause -> ended("destination: ", cause));
    destination.addShutdownListener(cause -> ended("destination: ", cause));
    to.addBlockedListener(
        new BlockedListener() {
          @Override
          public void handleBlocked(String reason) {
            mailbox.add(new Event.Blocked(reason));
          }

          @Override
          public void handleUnblocked() {
            mailbox.add(new Event.Blocked(null));
          }
        });
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
  void stop() {
    mailbox.add(new Event.Stop());
  }

  /**
   * Moves messages until it has moved all that it was to move, or is stopped.
   *
   * @return whether it has moved all
   * @throws TransferException if a connection or a queue has ended, or messages were refused
   */
  boolean run() throws IOException, TransferException, InterruptedException {
    ShovelDefinition.Source from = definition.source();
    if (toMove > 0) {
      source.basicQos(from.prefetch());
      source.basicConsume(
          queue,
          false,
          from.consumerTag(),
          false,
          false,
          consumerArguments(),
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
    List<Event> burst = new ArrayList<>();
    while (toMove > 0 && !stopped) {
      take(burst, progress.millisLeft());
      if (burst.isEmpty()) {
        if (progress.millisLeft() <= 0 || (isLimitedByLength() && isEmpty())) {
          break;
        }
        continue;
      }
      work(burst);
      if (end != null) {
        throw new TransferException(end.reason, end.mayRunAtOnce);
      }
      if (refusal != null) {
        drain(burst);
        throw new TransferException(refusal, false);
      }
    }
    drain(burst);
    return !stopped;
  }

  /** MayflyMQ then sends messages with what they have left; others do not know the argument. */
  private Map<String, Object> consumerArguments() {
    Map<String, Object> arguments = new HashMap<>(definition.source().consumerArguments());
    if (definition.destination().keepsTtl()) {
      arguments.putIfAbsent(TIME_LEFT, true);
    }
    return arguments;
  }

  private void take(List<Event> burst, long millisLeft) throws InterruptedException {
    burst.clear();
    long patience = isLimitedByLength() ? Math.min(IDLE_MILLIS, millisLeft) : millisLeft;
    Event first = mailbox.poll(Math.max(0, patience), TimeUnit.MILLISECONDS);
    if (first != null) {
      burst.add(first);
      mailbox.drainTo(burst, BURST);
    }
  }

  private boolean isLimitedByLength() {
    return definition.source().deleteAfter() == ShovelDefinition.QUEUE_LENGTH;
  }

  /** Returns whether all that it was to move is gone, although it has not moved as many. */
  private boolean isEmpty() throws IOException {
    return window.open() == 0
        && held.isEmpty()
        && mailbox.isEmpty()
        && source.messageCount(queue) == 0;
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
      if (definition.ackMode() == AckMode.NO_ACK) {
        acknowledge(takenTag);
      }
    } finally {
      // Both, whatever fails: a burst that goes on would keep everything back.
      try {
        toDestination.end();
      } finally {
        if (definition.ackMode() == AckMode.ON_PUBLISH) {
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
    ShovelDefinition.Destination to = definition.destination();
    Envelope envelope = delivered.envelope;
    String exchange;
    String key;
    if (to.queue() != null) {
      exchange = "";
      key = to.queue();
    } else {
      exchange = to.exchange() == null ? envelope.getExchange() : to.exchange();
      key = to.exchangeKey() == null ? envelope.getRoutingKey() : to.exchangeKey();
    }
    BasicProperties properties = form.of(delivered.properties);
    long tag = envelope.getDeliveryTag();
    if (confirms) {
      window.published(tag, new Sent(exchange, key, properties.getHeaders()));
    } else {
      takenTag = tag;
    }
    destination.basicPublish(
        exchange, key, confirms && !to.dropsUnroutable(), properties, delivered.body);
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
