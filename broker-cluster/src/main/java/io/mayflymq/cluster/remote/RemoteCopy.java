package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.vhost.queue.QueueCopying;
import java.util.concurrent.CompletableFuture;

/** The copy of a queue on another node. Any thread may call. */
record RemoteCopy(RemoteRequests requests) implements QueueCopying {
  @Override
  public CompletableFuture<Void> add(byte[] slice) {
    return requests.ask(RequestKind.COPY, out -> out.bit(false).bytes(slice), in -> null);
  }

  @Override
  public CompletableFuture<Void> complete(byte[] end) {
    return requests.ask(RequestKind.COPY, out -> out.bit(true).bytes(end), in -> null);
  }
}
