package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Following;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueContentsCodec;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.util.List;
import java.util.OptionalLong;

/**
 * What stands here for a queue of another node, or of a replicated partition. It is served by one
 * shard, as if it were there: the shard's link to the node carries all that concerns it. Commands
 * reach it in batches, which go to the node as they are; so the methods for single commands here
 * are for what has no batch.
 */
public final class RemoteQueue implements ShardQueue {
  private static final QueueContents UNKNOWN =
      new QueueContents(
          QueueTotals.NONE,
          QueueTotals.NONE,
          QueueTotals.NONE,
          QueueTotals.NONE,
          List.of(),
          0,
          OptionalLong.empty(),
          null,
          OptionalLong.empty(),
          Deadlines.NEVER,
          OptionalLong.empty(),
          null,
          null);

  private final Queue queue;
  private final QueueLink link;
  private final RemoteRequests requests;

  /** Null before the first use. */
  private volatile QueueSettings settings;

  private QueueContents contents = UNKNOWN;
  private boolean asks;

  private RemoteQueue(Queue queue, QueueLink link) {
    this.queue = queue;
    this.link = link;
    this.requests = new RemoteRequests(queue, link, this::settings);
  }

  /**
   * Creates what stands for a queue of another node. Nothing is sent yet.
   *
   * @param place where it is
   * @param node the node of that place
   */
  public static Queue create(
      QueueIdentity identity, QueuePlace place, QueueHost vhost, RemoteNode node) {
    Partition partition = node.partition(place.partition());
    return create(identity, vhost, partition, node.link(partition.shard()));
  }

  /**
   * Creates what stands for a replicated queue, whichever node leads its partition. Nothing is sent
   * yet.
   */
  public static Queue create(QueueIdentity identity, QueueHost vhost, PartitionLink link) {
    return create(identity, vhost, link.partition(), link);
  }

  private static Queue create(
      QueueIdentity identity, QueueHost vhost, Partition partition, QueueLink link) {
    return new Queue(
        identity,
        vhost,
        partition,
        link,
        queue -> Following.of(queue, new RemoteQueue(queue, link).implementation()));
  }

  private Queue.Implementation implementation() {
    return new Queue.Implementation(
        this, requests, new RemoteLifecycle(queue, requests, link), new RemoteCopy(requests));
  }

  private QueueSettings settings() {
    QueueSettings known = settings;
    return known == null ? firstSettings() : known;
  }

  /** Any thread may ask first, but what it has read must not take the place of later ones. */
  private synchronized QueueSettings firstSettings() {
    if (settings == null) {
      lookUpSettings();
    }
    return settings;
  }

  private synchronized void lookUpSettings() {
    settings = queue.vhost().settingsOf(queue.definition());
  }

  @Override
  public boolean publish(Message message, Move move) {
    link.consumers().commands().publish(queue, message, null, 0);
    return true;
  }

  @Override
  public void schedule(Message message, Move move, long dueMillis) {
    link.consumers().commands().schedule(queue, message, dueMillis, null, 0);
  }

  @Override
  public boolean refuses(Message message) {
    return false;
  }

  @Override
  public void acknowledge(Consumer consumer, long from, long to) {
    link.consumers().commands().acknowledge(queue, consumer, from, to);
  }

  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause) {
    if (cause == DropTrigger.CONSUMER_TIMEOUT) {
      link.consumers().commands().timeOut(queue, consumer, from, to);
    } else {
      link.consumers().commands().reject(queue, consumer, from, to);
    }
  }

  @Override
  public void requeue(Consumer consumer, long from, long to) {
    link.consumers().commands().requeue(queue, consumer, from, to);
  }

  @Override
  public void fail(Consumer consumer, long from, long to) {
    link.consumers().commands().fail(queue, consumer, from, to);
  }

  @Override
  public void release(Consumer consumer, long from, long to) {
    link.consumers().commands().release(queue, consumer, from, to);
  }

  @Override
  public void resume(Consumer consumer) {
    link.consumers().resume(consumer);
  }

  /** The owning node knows. */
  @Override
  public long beginOf(Consumer consumer) {
    return -1;
  }

  @Override
  public long deadline(long sequence) {
    return Deadlines.NEVER;
  }

  /** The owning node lets publishers wait. */
  @Override
  public long waitOfPublisher() {
    return 0;
  }

  /** The owning node holds floods up. */
  @Override
  public int pauseMillis() {
    return 0;
  }

  @Override
  public boolean isDeleted() {
    return false;
  }

  @Override
  public boolean isLeaving() {
    return false;
  }

  @Override
  public boolean hasLocked() {
    return false;
  }

  @Override
  public void applyPolicies() {
    lookUpSettings();
    queue
        .here()
        .ifPresent(
            here -> {
              here.redefine(queue.definition());
              here.onShard().applyPolicies();
            });
  }

  /** The owning node knows. */
  @Override
  public PolicyImpact policyImpact(QueueSettings changed) {
    return queue.here().map(here -> here.onShard().policyImpact(changed)).orElse(null);
  }

  @Override
  public void trimMemory() {
    queue.here().ifPresent(here -> here.onShard().trimMemory());
  }

  /**
   * Returns what the home node has last told of it, and asks again: at the first time nothing is
   * known.
   */
  @Override
  public QueueSizes sizes() {
    QueueContents known = contents();
    return known == null ? null : known.sizes();
  }

  @Override
  public QueueContents contents() {
    if (!asks) {
      asks = true;
      requests
          .ask(
              RequestKind.CONTENTS,
              out -> {},
              in -> in.bit() ? QueueContentsCodec.readContents(in) : UNKNOWN)
          .whenComplete(
              (told, failure) -> {
                asks = false;
                contents = failure == null ? told : UNKNOWN;
              });
    }
    return contents;
  }

  @Override
  public boolean hasWaitingDeadLetters() {
    return false;
  }

  @Override
  public void keepWaiting(Message deadLetter, Move move) {
    throw atHome("dead-lettering");
  }

  @Override
  public void openHidden(long storeId) {
    throw atHome("recovery");
  }

  @Override
  public MessageExtractor extractor(String method) {
    throw OwnerErrors.onlyAtHome(method, queue, link.node());
  }

  @Override
  public MessageReader messageReader(MessagePart part) {
    throw atHome("reading all messages");
  }

  @Override
  public void restore(Message message, long ownDeadlineMillis, long arrivedMillis, long returned) {
    throw atHome("restoring messages");
  }

  @Override
  public void restoreEnded() {
    throw atHome("restoring messages");
  }

  @Override
  public void movedBy(LockedMessages move) {
    throw atHome("moving messages");
  }

  private IllegalStateException atHome(String what) {
    return new IllegalStateException(what + " of " + queue + " is done by " + link.node());
  }
}
