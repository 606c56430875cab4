package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.queue.MessageBrowser;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.QueuePage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Looks at a page of messages, in slices of time between which the queue and its neighbours live
 * on.
 */
final class QueueBrowse implements Runnable {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final LocalQueueState state;
  private final Shard shard;
  private final QueueMachine machine;
  private final long from;
  private final int count;

  /** A page ends early with as many bytes of content, which stay in memory until it is written. */
  private final long mostBytes;

  private final List<BrowsedMessage> seen = new ArrayList<>();
  private final CompletableFuture<QueuePage> done = new CompletableFuture<>();
  private MessageBrowser browser;
  private long bytes;

  QueueBrowse(LocalQueueState state, long from, int count, long mostBytes) {
    this.state = state;
    this.shard = state.shard();
    this.machine = state.machine();
    this.from = from;
    this.count = count;
    this.mostBytes = mostBytes;
  }

  /** Done when the page is complete; fails with 404 if the queue has gone. */
  CompletableFuture<QueuePage> done() {
    return done;
  }

  /** A slice, within a burst of the shard. */
  @Override
  public void run() {
    try {
      if (!slice()) {
        shard.executeLater(this);
      }
    } catch (RuntimeException e) {
      close();
      done.completeExceptionally(e);
    }
  }

  /**
   * @return whether the page is complete
   */
  private boolean slice() {
    state.requireExists();
    if (browser == null) {
      state.used(LeaseUse.PEEK);
      browser = machine.browse(from);
    }
    long end = shard.elapsedNanos() + SLICE_NANOS;
    while (seen.size() < count && bytes < mostBytes) {
      if (!browser.step(state.now(), this::add)) {
        complete(-1);
        return true;
      }
      if (shard.elapsedNanos() >= end) {
        return false;
      }
    }
    complete(from + seen.size());
    return true;
  }

  private void add(BrowsedMessage message) {
    seen.add(message);
    bytes += message.message() == null ? 0 : message.message().content().length;
  }

  private void complete(long next) {
    long ready = machine.readyCount();
    close();
    done.complete(new QueuePage(List.copyOf(seen), next >= ready ? -1 : next, ready));
  }

  private void close() {
    if (browser != null) {
      browser.close();
      browser = null;
    }
  }
}
