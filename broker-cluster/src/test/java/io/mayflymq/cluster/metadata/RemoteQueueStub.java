package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueCopying;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import io.mayflymq.core.vhost.queue.QueueRequests;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Stands for a queue of another node where only metadata are tested. */
final class RemoteQueueStub implements QueueLifecycle {
  private RemoteQueueStub() {}

  static Queue of(QueueIdentity identity, QueueHost vhost, Partition partition) {
    return new Queue(
        identity,
        vhost,
        partition,
        queue ->
            new Queue.Implementation(
                unused(ShardQueue.class),
                unused(QueueRequests.class),
                new RemoteQueueStub(),
                unused(QueueCopying.class)));
  }

  private static <T> T unused(Class<T> type) {
    Counters counters = new Counters();
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getReturnType() == Counters.class) {
                return counters;
              } else if (method.getReturnType() == QueueSettings.class) {
                return QueueSettings.DEFAULT;
              } else if (method.getReturnType() == CompletableFuture.class) {
                return CompletableFuture.completedFuture(null);
              }
              return method.getReturnType() == boolean.class ? false : null;
            }));
  }

  @Override
  public void start() {}

  @Override
  public void order(Arrivals arrivals) {}

  @Override
  public void abandon() {}

  @Override
  public void rest() {}

  @Override
  public void discard() {}

  @Override
  public CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
    return CompletableFuture.completedFuture(new DeclaredQueue("", 0, 0));
  }

  @Override
  public CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    return CompletableFuture.completedFuture(0L);
  }

  @Override
  public CompletableFuture<Void> deleteWithVhost() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void keep(long deletedAtMillis) {}

  @Override
  public void forget() {}

  @Override
  public void endWithParent() {}

  @Override
  public CompletableFuture<Void> moveTo(Queue successor, Supplier<CompletableFuture<Void>> change) {
    return CompletableFuture.failedFuture(new UnsupportedOperationException());
  }

  @Override
  public void awaitOutcome() {}

  @Override
  public void stay() {}

  @Override
  public void leave(Queue successor) {}

  @Override
  public void arrive() {}
}
