package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.ErrorCodec;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import io.mayflymq.protocol.types.ChannelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The requests of a link that are not answered, in the order of their numbers. On its shard. */
final class OpenRequests {
  private final Map<Long, LinkRequest<?>> open = new LinkedHashMap<>();
  private final Function<Queue, ChannelException> unreachable;
  private long last;

  /**
   * Begins without any.
   *
   * @param unreachable returns the error for a queue that cannot be asked
   */
  OpenRequests(Function<Queue, ChannelException> unreachable) {
    this.unreachable = unreachable;
  }

  /** Adds one and returns its number. */
  long add(LinkRequest<?> request) {
    last++;
    open.put(last, request);
    return last;
  }

  void answered(ByteReader in) {
    LinkRequest<?> request = open.remove(in.number());
    if (request != null) {
      try {
        request.answered(in);
      } catch (RuntimeException e) {
        lose(request);
        throw e;
      }
    }
  }

  void failed(ByteReader in) {
    LinkRequest<?> request = open.remove(in.number());
    if (request != null) {
      request.failed(ErrorCodec.read(in));
    }
  }

  /** The queue has moved, and has done nothing for the request. */
  void moved(ByteReader in) {
    LinkRequest<?> request = open.remove(in.number());
    if (request != null) {
      request.answer().completeExceptionally(new QueueGate.MovedException());
    }
  }

  /** A request cannot be sent. */
  void remove(long number) {
    open.remove(number);
  }

  /** Returns the first one that is chosen; null if there is none. */
  LinkRequest<?> first(Predicate<LinkRequest<?>> choice) {
    return open.values().stream().filter(choice).findFirst().orElse(null);
  }

  /**
   * Those that are chosen fail, as their queues cannot be asked; what they were sent by may answer
   * them nevertheless.
   */
  void giveUp(Predicate<LinkRequest<?>> choice) {
    List.copyOf(open.values()).stream()
        .filter(choice)
        .forEach(request -> request.giveUp(unreachable.apply(request.queue())));
  }

  /** Visits those that are open now, in order. */
  void forEach(BiConsumer<Long, LinkRequest<?>> visitor) {
    new LinkedHashMap<>(open).forEach(visitor);
  }

  /** Removes those that are chosen, and returns them in order. */
  List<LinkRequest<?>> take(Predicate<LinkRequest<?>> choice) {
    List<LinkRequest<?>> taken = new ArrayList<>();
    open.values()
        .removeIf(
            request -> {
              boolean chosen = choice.test(request);
              if (chosen) {
                taken.add(request);
              }
              return chosen;
            });
    return taken;
  }

  /** The queues of those that are chosen cannot be asked: they fail. */
  void lose(Predicate<LinkRequest<?>> choice) {
    take(choice).forEach(this::lose);
  }

  /** A request that is not open fails, as its queue cannot be asked. */
  void lose(LinkRequest<?> request) {
    request.answer().completeExceptionally(unreachable.apply(request.queue()));
  }
}
