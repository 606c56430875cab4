package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.CommandCodec;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/**
 * Proposes changes to the replicated log, in batches. Any thread may call.
 *
 * <p>One entry is under way at a time. What is requested meanwhile goes into the next one, so that
 * many changes share a round trip and a force, and one alone does not wait. The order of the
 * requests is kept. What needs no order, such as the elections of leaders, has an entry of its own
 * at once.
 *
 * <p>An entry that cannot be added in time fails with all that waits behind it: a node that has
 * lost the majority answers within that time however much is asked of it. What waits behind it is
 * not made, and is told so. Whether the entry itself is added later is not known, unless no node
 * was asked to add it: the nodes that have it may agree upon it when they are a majority again, and
 * nothing that is told meanwhile can keep them from that. If it is added, it is carried out as if
 * another node had proposed it.
 */
public final class ChangeProposer implements ChangeOrdering {
  private static final int MOST_BYTES = 1 << 17;

  private final UUID process = UUID.randomUUID();
  private final EntryLog log;
  private final IntSupplier version;
  private final Deque<PendingChange> waiting = new ArrayDeque<>();
  private final Map<Long, PendingChange> proposed = new HashMap<>();
  private long serial;
  private boolean underWay;

  /** Why it proposes nothing more; null if it does. */
  private String ended;

  /**
   * Creates a proposer.
   *
   * @param version returns the version of changes that all members know
   */
  public ChangeProposer(EntryLog log, IntSupplier version) {
    this.log = log;
    this.version = version;
  }

  @Override
  public CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    int needed = ChangeVersions.of(commands);
    if (needed > version.getAsInt()) {
      return CompletableFuture.failedFuture(
          new ChannelException(
              ReplyCode.PRECONDITION_FAILED,
              (needed == ChangeVersions.OF_REPLICAS
                      ? "replicated queues need nodes that know them"
                      : "this change needs nodes that know it")
                  + ": a node of an earlier release is a member of the cluster"));
    }
    byte[] encoded = CommandCodec.encode(commands);
    CompletableFuture<Void> done;
    synchronized (this) {
      if (ended != null) {
        return CompletableFuture.failedFuture(UnconfirmedChangeException.notMade(ended));
      }
      done = add(encoded, origin);
    }
    proposeNext();
    return done;
  }

  /**
   * Proposes changes that fall together, and whose order among others does not matter. Each is
   * carried out or refused by itself, but they share an entry if they fit into one. They do not
   * wait for the entry that is under way.
   *
   * @return for each what {@link #propose} returns
   */
  public List<CompletableFuture<Void>> proposeEach(List<? extends MetadataCommand> changes) {
    List<byte[]> encoded =
        changes.stream().map(change -> CommandCodec.encode(List.of(change))).toList();
    Deque<PendingChange> each = new ArrayDeque<>();
    List<List<PendingChange>> batches = new ArrayList<>();
    List<CompletableFuture<Void>> done;
    synchronized (this) {
      if (ended != null) {
        UnconfirmedChangeException error = UnconfirmedChangeException.notMade(ended);
        return changes.stream().map(change -> CompletableFuture.<Void>failedFuture(error)).toList();
      }
      encoded.forEach(change -> each.add(pending(change, null)));
      done = each.stream().map(PendingChange::done).toList();
      while (!each.isEmpty()) {
        batches.add(batch(each));
      }
    }
    for (List<PendingChange> batch : batches) {
      log.propose(entry(batch))
          .whenComplete(
              (added, failure) -> {
                if (failure != null) {
                  fail(batch, failure);
                }
              });
    }
    return done;
  }

  private CompletableFuture<Void> add(byte[] encoded, Object origin) {
    PendingChange change = pending(encoded, origin);
    waiting.addLast(change);
    return change.done();
  }

  private PendingChange pending(byte[] encoded, Object origin) {
    return new PendingChange(
        new ChangeEntry.Unit(serial++, encoded), origin, new CompletableFuture<>());
  }

  private void proposeNext() {
    List<PendingChange> batch;
    synchronized (this) {
      if (underWay || waiting.isEmpty()) {
        return;
      }
      underWay = true;
      batch = batch(waiting);
    }
    log.propose(entry(batch))
        .whenComplete(
            (added, failure) -> {
              if (failure != null) {
                failWithAll(batch, failure);
              }
              synchronized (this) {
                underWay = false;
              }
              proposeNext();
            });
  }

  /** Takes as many changes as fit into an entry, at least one. */
  private List<PendingChange> batch(Deque<PendingChange> from) {
    List<PendingChange> batch = new ArrayList<>();
    int bytes = 0;
    while (!from.isEmpty()
        && (batch.isEmpty() || bytes + from.peekFirst().unit().bytes() <= MOST_BYTES)) {
      PendingChange change = from.removeFirst();
      bytes += change.unit().bytes();
      batch.add(change);
      proposed.put(change.unit().serial(), change);
    }
    return batch;
  }

  private byte[] entry(List<PendingChange> batch) {
    return new ChangeEntry(
            version.getAsInt(), process, batch.stream().map(PendingChange::unit).toList())
        .encode();
  }

  /** Fails a batch with all that waits; what was added before, and did not come here, too. */
  private void failWithAll(List<PendingChange> batch, Throwable failure) {
    List<PendingChange> others;
    List<PendingChange> behind;
    synchronized (this) {
      behind = List.copyOf(waiting);
      waiting.clear();
      others = new ArrayList<>(proposed.values());
      others.removeAll(batch);
      proposed.clear();
    }
    String why = Causes.of(failure).getMessage();
    fail(batch, failure);
    end(others, UnconfirmedChangeException.unknown(why));
    end(behind, UnconfirmedChangeException.notMade(why));
  }

  /**
   * Proposes nothing more. What waits fails, and so does what was proposed and has not come here:
   * it does not come any more, whether it was agreed upon or not.
   *
   * @param why in one line
   */
  public void end(String why) {
    List<PendingChange> open;
    List<PendingChange> behind;
    synchronized (this) {
      ended = why;
      behind = List.copyOf(waiting);
      waiting.clear();
      open = List.copyOf(proposed.values());
      proposed.clear();
    }
    end(open, UnconfirmedChangeException.unknown(why));
    end(behind, UnconfirmedChangeException.notMade(why));
  }

  private static void end(List<PendingChange> failed, UnconfirmedChangeException error) {
    failed.forEach(change -> change.done().completeExceptionally(error));
  }

  private void fail(List<PendingChange> failed, Throwable failure) {
    synchronized (this) {
      failed.forEach(change -> proposed.remove(change.unit().serial(), change));
    }
    Throwable cause = Causes.of(failure);
    end(
        failed,
        cause instanceof EntryLog.NotAddedException
            ? UnconfirmedChangeException.notMade(cause.getMessage())
            : UnconfirmedChangeException.unknown(cause.getMessage()));
  }

  /** Returns whether this process has proposed what this number stands for. */
  boolean isOwn(UUID proposedBy) {
    return proposedBy.equals(process);
  }

  /**
   * Returns a change whose turn has come, if this process has proposed it and is waiting for it;
   * else null.
   */
  synchronized PendingChange take(UUID proposedBy, long number) {
    return isOwn(proposedBy) ? proposed.remove(number) : null;
  }
}
