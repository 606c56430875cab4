package io.mayflymq.core.vhost.queue.remote;

import io.mayflymq.core.link.ErrorCodec;
import io.mayflymq.core.link.LinkReader;
import io.mayflymq.core.vhost.queue.QueueGate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The requests that a link has sent and that are not answered. On its shard. */
final class OpenRequests {
  private record Open<T>(CompletableFuture<T> answer, Function<LinkReader, T> read, Runnable lost) {
    void answered(LinkReader in) {
      try {
        answer.complete(read.apply(in));
      } catch (RuntimeException e) {
        lost.run();
        throw e;
      }
    }
  }

  private final Map<Long, Open<?>> open = new HashMap<>();
  private long last;

  /** Adds one and returns its number. */
  <T> long add(CompletableFuture<T> answer, Function<LinkReader, T> read, Runnable lost) {
    last++;
    open.put(last, new Open<>(answer, read, lost));
    return last;
  }

  void answered(LinkReader in) {
    Open<?> request = open.remove(in.number());
    if (request != null) {
      request.answered(in);
    }
  }

  void failed(LinkReader in) {
    Open<?> request = open.remove(in.number());
    if (request != null) {
      request.answer().completeExceptionally(ErrorCodec.read(in));
    }
  }

  /** The queue has moved, and has done nothing for the request. */
  void moved(LinkReader in) {
    Open<?> request = open.remove(in.number());
    if (request != null) {
      request.answer().completeExceptionally(new QueueGate.MovedException());
    }
  }

  void lost() {
    List<Open<?>> lost = new ArrayList<>(open.values());
    open.clear();
    lost.forEach(request -> request.lost().run());
  }
}
