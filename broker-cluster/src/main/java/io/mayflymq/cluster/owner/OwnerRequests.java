package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.cluster.link.ErrorCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.ConsumerOriginCodec;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueContentsCodec;
import io.mayflymq.core.vhost.queue.QueueGate;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ShortString;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Answers the requests of another node. On the link's shard. */
final class OwnerRequests {
  /** That of a consumer that is not of a stream. */
  private static final long NO_BEGIN = -1;

  private final Shard shard;
  private final OwnerDeliveries output;
  private final OwnerConsumers consumers;
  private final ByteWriter frame = new ByteWriter();
  private final MessageCodec messages = new MessageCodec();

  /** Null for the queues of a node. */
  private final ConsumerOrder order;

  /** The requests of consumers that have not joined yet. */
  private final Map<OwnerConsumer, Long> joining = new HashMap<>(0);

  private boolean closed;

  OwnerRequests(
      Shard shard, OwnerDeliveries output, OwnerConsumers consumers, ConsumerOrder order) {
    this.shard = shard;
    this.output = output;
    this.consumers = consumers;
    this.order = order;
  }

  void close() {
    closed = true;
  }

  /**
   * Answers a request, now or later. One that cannot be read fails: the other node would send it
   * again by the next connection, for ever.
   */
  void answer(ByteReader in, OwnerQueues queues) {
    long id = in.number();
    try {
      RequestKind kind = RequestKind.of(in.octet());
      answer(id, kind, queues.require(in.number()), in);
    } catch (ByteFormatException e) {
      shard.faults().report("reading a request of another node", e);
      failed(id, e);
    } catch (RuntimeException e) {
      failed(id, e);
    }
  }

  private void answer(long id, RequestKind kind, Queue queue, ByteReader in) {
    switch (kind) {
      case SUBSCRIBE -> subscribe(id, queue, in);
      case CANCEL -> cancel(id, in.number());
      case WINDOW -> window(id, in.number(), in.number());
      case FETCH -> fetch(id, queue, in.bit(), use(in));
      case PURGE -> later(id, queue.requests().purge(), (out, count) -> out.number(count));
      case STATUS ->
          later(
              id,
              queue.lifecycle().status(in.bit()),
              (out, status) -> {
                out.bit(status != null);
                if (status != null) {
                  out.number(status.messages()).number(status.consumers());
                }
              });
      case DELETE -> {
        boolean ifUnused = in.bit();
        boolean ifEmpty = in.bit();
        later(
            id,
            queue.lifecycle().delete(ifUnused, ifEmpty, RemoteActor.read(in)),
            (out, count) -> out.number(count));
      }
      case USED -> {
        queue.requests().used(use(in));
        done(id, out -> {});
      }
      case LOCKS_RENEWED -> {
        queue.requests().locksRenewed(in.number());
        done(id, out -> {});
      }
      case CONTENTS -> contents(id, queue);
      case COPY -> {
        boolean isEnd = in.bit();
        byte[] slice = in.bytes();
        later(
            id,
            isEnd ? queue.copying().complete(slice) : queue.copying().add(slice),
            (out, taken) -> {});
      }
      case REMOVE_SCHEDULED ->
          later(
              id,
              queue.requests().removeScheduled(in.optionalText()),
              (out, count) -> out.number(count));
      case BROWSE ->
          later(
              id,
              queue.requests().browse(in.number(), in.integer(), in.number()),
              (out, page) -> QueueContentsCodec.write(out, page));
    }
  }

  private static LeaseUse use(ByteReader in) {
    String name = in.text();
    try {
      return LeaseUse.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new ByteFormatException("unknown use of a queue: " + name);
    }
  }

  private void subscribe(long id, Queue queue, ByteReader in) {
    long number = in.number();
    ShortString tag = in.shortString();
    boolean acknowledges = in.bit();
    boolean exclusive = in.bit();
    int prefetch = in.integer();
    ConsumeOptions options = new ConsumeOptions(acknowledges, exclusive, prefetch, in.table());
    OwnerConsumer target =
        new OwnerConsumer(
            number, queue, in.number(), output, moved -> atHome(() -> consumers.remove(moved)));
    target.setOrigin(ConsumerOriginCodec.read(in));
    if (output.haveRanks()) {
      ConsumerRank before = ConsumerRank.read(in);
      target.setRank(order == null ? null : before);
    }
    if (in.remaining() > 0) {
      target.setClientName(in.text());
    }
    target.setConsumer(new Consumer(tag, options, target));
    consumers.add(target);
    joining.put(target, id);
    output.expectFrom(queue.shard());
    queue
        .requests()
        .subscribe(target.consumer(), () -> joins(target))
        .exceptionally(
            failure -> {
              atHome(
                  () -> {
                    joining.remove(target);
                    consumers.remove(target);
                    failed(id, failure);
                  });
              return null;
            });
  }

  /** On the queue's shard: a consumer joins. */
  private void joins(OwnerConsumer target) {
    long begin = target.queue().onShard().beginOf(target.consumer());
    atHome(() -> joined(target, begin));
  }

  /**
   * A consumer joins, or was cancelled while it waited for that.
   *
   * @param begin the offset at which it begins in a stream; negative in another queue
   */
  private void joined(OwnerConsumer target, long begin) {
    Long id = joining.remove(target);
    if (id != null) {
      done(
          id,
          out -> {
            if (output.haveRanks()) {
              (order == null ? ConsumerRank.NONE : order.next()).write(out);
            }
            if (begin >= 0) {
              out.number(begin);
            }
          });
    }
  }

  private void cancel(long id, long number) {
    OwnerConsumer target = consumers.get(number);
    if (target == null) {
      done(id, out -> {});
    } else {
      // Answered behind the messages that the queue's shard has handed over by then: the other
      // node forgets the consumer with the answer.
      Shard shardOfQueue = target.queue().shard();
      target
          .queue()
          .requests()
          .cancel(target.consumer())
          .whenComplete(
              (done, failure) ->
                  shardOfQueue.execute(() -> shard.execute(() -> cancelled(id, target, failure))));
    }
  }

  private void cancelled(long id, OwnerConsumer target, Throwable failure) {
    joined(target, NO_BEGIN);
    consumers.cancelled(target);
    if (failure == null) {
      done(id, out -> {});
    } else {
      failed(id, failure);
    }
  }

  /** When it is answered, no message is under way that was sent by the window before. */
  private void window(long id, long number, long bytes) {
    OwnerConsumer target = consumers.get(number);
    if (target == null) {
      done(id, out -> {});
    } else {
      later(id, target.setWindow(bytes), (out, taken) -> {});
    }
  }

  private void fetch(long id, Queue queue, boolean acknowledges, LeaseUse use) {
    queue
        .requests()
        .fetch(acknowledges, use)
        .whenComplete(
            (fetched, failure) ->
                atHome(
                    () -> {
                      if (failure != null) {
                        failed(id, failure);
                      } else {
                        fetched(id, queue, fetched);
                      }
                    }));
  }

  private void fetched(long id, Queue queue, GetResult fetched) {
    if (fetched != null && fetched.sequence() >= 0) {
      if (closed) {
        consumers.putBackFetched(queue, fetched.sequence());
        return;
      }
      consumers.fetched(queue, fetched.sequence());
    }
    done(
        id,
        out -> {
          out.bit(fetched != null);
          if (fetched != null) {
            out.signed(fetched.sequence()).bit(fetched.redelivered()).number(fetched.remaining());
            messages.begin();
            messages.write(out, fetched.message());
          }
        });
  }

  private void contents(long id, Queue queue) {
    later(
        id,
        queue.shard().call(() -> QueueSnapshot.of(queue)),
        (out, snapshot) -> {
          out.bit(snapshot != null);
          if (snapshot != null) {
            QueueContents contents = snapshot.contents();
            QueueContentsCodec.write(out, contents);
          }
        });
  }

  private <T> void later(long id, CompletableFuture<T> work, BiConsumer<ByteWriter, T> write) {
    work.whenComplete(
        (result, failure) ->
            atHome(
                () -> {
                  if (failure == null) {
                    done(id, out -> write.accept(out, result));
                  } else {
                    failed(id, failure);
                  }
                }));
  }

  private void atHome(Runnable task) {
    if (shard.isCurrent()) {
      shard.run(task);
    } else {
      shard.execute(task);
    }
  }

  private void done(long id, java.util.function.Consumer<ByteWriter> write) {
    if (!closed) {
      frame.clear().number(id);
      write.accept(frame);
      output.send(LinkFrame.ANSWER, frame);
    }
  }

  private void failed(long id, Throwable failure) {
    if (closed) {
      return;
    }
    frame.clear().number(id);
    if (Causes.of(failure) instanceof QueueGate.MovedException) {
      output.send(LinkFrame.MOVED, frame);
    } else {
      ErrorCodec.write(frame, failure);
      output.send(LinkFrame.ERROR, frame);
    }
  }
}
