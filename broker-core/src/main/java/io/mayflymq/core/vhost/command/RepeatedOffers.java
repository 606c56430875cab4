package io.mayflymq.core.vhost.command;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one sender has offered to full queues that did not keep it: those of other nodes, replicated
 * ones, and those whose place changes. It waits here, for each queue in its order. The first is
 * offered again after a while; when it has entered, the next ones follow at once, more each time.
 * What has waited for too long is offered for the last time. While the publishers of a queue are
 * paused, only that is. On the sender's loop.
 */
final class RepeatedOffers {
  private static final long PAUSE_MILLIS = 50;

  /** About what a message takes, besides its content. */
  private static final int BYTES_PER_MESSAGE = 512;

  /** Offers a message. */
  @FunctionalInterface
  interface Sink {
    /** The parameters are those of {@link CommandBatch#offer}; the message has no number. */
    void offer(Queue queue, Message message, PublishListener listener, long sinceMillis);
  }

  private final Shard home;
  private final Sink sink;
  private final Runnable onChange;

  /** By the number of the queue: one that is declared after it with its name is another queue. */
  private final Map<Long, Line> lines = new LinkedHashMap<>(0);

  private final Timer timer =
      new Timer() {
        @Override
        protected void fire(long nowMillis) {
          offerFirst(nowMillis);
        }
      };

  private long bytes;
  private long bytesNotAwaited;

  /**
   * Creates it with nothing in it.
   *
   * @param onChange called when messages have entered, or were refused
   */
  RepeatedOffers(Shard home, Sink sink, Runnable onChange) {
    this.home = home;
    this.sink = sink;
    this.onChange = onChange;
  }

  /** Returns whether messages for a queue wait here. */
  boolean hold(Queue queue) {
    return !lines.isEmpty() && lines.containsKey(queue.id());
  }

  /** Returns a queue that messages wait for; null if none does. */
  Queue queue() {
    return lines.isEmpty() ? null : lines.values().iterator().next().queue;
  }

  /** Returns about how many bytes the messages take. */
  long bytes() {
    return bytes;
  }

  /** Returns how many of them are of messages of which no publisher waits to hear. */
  long bytesNotAwaited() {
    return bytesNotAwaited;
  }

  /** A message waits behind the others for its queue. */
  void add(
      Queue queue, Message message, PublishListener listener, long sequence, long sinceMillis) {
    Line line = lines.computeIfAbsent(queue.id(), id -> new Line(queue));
    Offer offer = new Offer(line, message, listener, sequence, sinceMillis);
    line.waiting.addLast(offer);
    bytes += offer.bytes();
    bytesNotAwaited += listener == null ? offer.bytes() : 0;
    setTimer();
  }

  /** Takes what a batch has brought back. */
  void take(CommandBatch batch) {
    List<Offer> again = new ArrayList<>();
    batch.takeFull(
        (queue, message, listener, sequence, since) -> {
          if (listener instanceof Offer offer && offer.owner() == this) {
            again.add(offer);
          } else {
            add(queue, message, listener, sequence, since);
          }
        });
    for (int i = again.size() - 1; i >= 0; i--) {
      Offer offer = again.get(i);
      offer.line.offered--;
      offer.line.most = 1;
      offer.line.pauses = true;
      offer.line.waiting.addFirst(offer);
    }
    setTimer();
  }

  private void setTimer() {
    if (!timer.isScheduled()) {
      home.timers().schedule(timer, home.now() + PAUSE_MILLIS);
    }
  }

  private void offerFirst(long nowMillis) {
    for (Line line : List.copyOf(lines.values())) {
      if (line.offered == 0) {
        line.pauses = false;
        line.offerSome(nowMillis);
      }
    }
    if (!lines.isEmpty()) {
      setTimer();
    }
  }

  /** What waits for one queue. */
  private final class Line {
    final Deque<Offer> waiting = new ArrayDeque<>();
    Queue queue;

    /** How many were offered again and have no outcome yet. */
    int offered;

    /** How many are offered at once. */
    int most = 1;

    /** Whether the queue was found full, so that the timer offers next. */
    boolean pauses;

    Line(Queue queue) {
      this.queue = queue;
    }

    /** The queue may be at another place by now, or deleted: then the old one takes them. */
    void offerSome(long nowMillis) {
      Queue current = queue.vhost().routing().queue(queue.name());
      boolean isHeld = false;
      if (current != null && current.id() == queue.id()) {
        queue = current;
        isHeld = queue.settings().pace().pausesPublishing();
      }
      for (int i = 0; i < most && !waiting.isEmpty(); i++) {
        Offer offer = waiting.peekFirst();
        long end = Deadlines.after(offer.sinceMillis, queue.settings().length().blockMillis());
        boolean isLate = end <= nowMillis || neverFits(offer.message);
        if (isHeld && !isLate) {
          return;
        }
        waiting.removeFirst();
        offered++;
        sink.offer(queue, offer.message, offer, isLate ? CommandBatch.AT_ONCE : offer.sinceMillis);
      }
    }

    private boolean neverFits(Message message) {
      return queue.settings().length().neverFits(message.bodyLength());
    }

    /** One has an outcome. What is late is not worth a pause. */
    void done(boolean entered) {
      offered--;
      if (offered == 0 && waiting.isEmpty()) {
        lines.remove(queue.id());
      } else if (offered == 0 && !pauses) {
        most = entered ? Math.min(2 * most, waiting.size()) : 1;
        offerSome(home.now());
      }
      onChange.run();
    }
  }

  /** A message that waits. */
  private final class Offer implements PublishListener {
    final Line line;
    final Message message;
    final PublishListener listener;
    final long sequence;
    final long sinceMillis;

    Offer(Line line, Message message, PublishListener listener, long sequence, long sinceMillis) {
      this.line = line;
      this.message = message;
      this.listener = listener;
      this.sequence = sequence;
      this.sinceMillis = sinceMillis;
    }

    RepeatedOffers owner() {
      return RepeatedOffers.this;
    }

    long bytes() {
      return (long) message.content().length + BYTES_PER_MESSAGE;
    }

    private void end(boolean entered) {
      bytes -= bytes();
      bytesNotAwaited -= listener == null ? bytes() : 0;
      line.done(entered);
    }

    @Override
    public void settled(long none, boolean accepted) {
      if (listener != null) {
        listener.settled(sequence, accepted);
      }
      end(accepted);
    }

    @Override
    public void failed(long none) {
      if (listener != null) {
        listener.failed(sequence);
      }
      end(false);
    }

    @Override
    public void lost(long none) {
      if (listener != null) {
        listener.lost(sequence);
      }
      end(false);
    }
  }
}
