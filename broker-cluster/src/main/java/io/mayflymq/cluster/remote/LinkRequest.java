package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A request to a queue at another place, until it is answered. On the shard of the link.
 *
 * @param <T> what the answer is read to
 */
final class LinkRequest<T> {
  private final Queue queue;
  private final RequestKind kind;
  private final Consumer<ByteWriter> write;
  private final Function<ByteReader, T> read;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private T ifGone;
  private Consumer<ByteReader> ifLate = in -> {};
  private boolean givenUp;
  private RemoteConsumer joining;
  private int timesSent;
  private long mark;

  /**
   * Creates it.
   *
   * @param write writes what the kind of request needs
   * @param read reads the answer
   */
  LinkRequest(
      Queue queue, RequestKind kind, Consumer<ByteWriter> write, Function<ByteReader, T> read) {
    this.queue = queue;
    this.kind = kind;
    this.write = write;
    this.read = read;
  }

  /** Sets the answer if the queue is not there any more when this is asked again. */
  LinkRequest<T> orIfGone(T result) {
    ifGone = result;
    return this;
  }

  /** Sets what reads an answer that comes when it is not waited for any more. */
  LinkRequest<T> orIfLate(Consumer<ByteReader> reading) {
    ifLate = reading;
    return this;
  }

  /** It is not waited for any more. The answer may come nevertheless. */
  void giveUp(AmqpException error) {
    givenUp = true;
    answer.completeExceptionally(error);
  }

  /** Returns whether it is not waited for any more, and may be answered nevertheless. */
  boolean isGivenUp() {
    return givenUp;
  }

  /** Sets the consumer that joins the queue by this. */
  LinkRequest<T> joining(RemoteConsumer consumer) {
    joining = consumer;
    return this;
  }

  /** Returns the consumer that joins the queue by this; null if it is no subscription. */
  RemoteConsumer joining() {
    return joining;
  }

  Queue queue() {
    return queue;
  }

  RequestKind kind() {
    return kind;
  }

  /** Returns the answer. */
  CompletableFuture<T> answer() {
    return answer;
  }

  /** Writes the frame, for the first time or again. */
  void write(long number, LinkNames names, ByteWriter frame) {
    long of = names.queue(queue);
    frame.clear().number(number).octet(kind.code()).number(of);
    write.accept(frame);
    timesSent++;
  }

  /** Notes when it was asked, by a clock of the link. */
  void setMark(long nanos) {
    mark = nanos;
  }

  /** Returns when it was asked. */
  long mark() {
    return mark;
  }

  /** Reads the answer; throws if it cannot be read, and then it is not answered yet. */
  void answered(ByteReader in) {
    if (givenUp) {
      ifLate.accept(in);
    } else {
      answer.complete(read.apply(in));
    }
  }

  /** The queue has answered with an error. */
  void failed(AmqpException error) {
    if (timesSent > 1 && ifGone != null && error.code() == ReplyCode.NOT_FOUND) {
      answer.complete(ifGone);
    } else {
      answer.completeExceptionally(error);
    }
  }
}
