package io.mayflymq.server.channel;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.channel.Transaction.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * {@code basic.ack}, {@code basic.nack} and {@code basic.reject}: at once, or at the commit of a
 * transaction.
 */
final class SettlementOperations {
  private final ConsumerOperations consumers;
  private final UnackedDeliveries unacked;
  private final ShardCommandSender commands;
  private final Counters counters;

  SettlementOperations(
      ConsumerOperations consumers, ShardCommandSender commands, Counters counters) {
    this.counters = counters;
    this.consumers = consumers;
    this.unacked = consumers.unacked();
    this.commands = commands;
  }

  /**
   * Settles one delivery, or all up to it.
   *
   * @param tag the delivery tag; 0 with {@code multiple} means all there are
   * @param transaction the transaction whose commit it waits for, or null
   * @throws ChannelException 406 for a tag that is not outstanding, and was not lost
   */
  void settle(long tag, boolean multiple, Verdict verdict, Transaction transaction) {
    boolean everything = multiple && tag == 0;
    if (!everything && !isOutstanding(tag, transaction)) {
      if (!consumers.lost().settle(tag)) {
        throw unknown(tag);
      }
      if (!multiple) {
        return;
      }
    }
    long last = everything ? unacked.lastTag() : tag;
    if (multiple) {
      consumers.lost().settleThrough(last);
    }
    if (transaction != null) {
      if (multiple) {
        unacked.forEachThrough(
            last,
            outstanding -> {
              if (!transaction.hasSettled(outstanding)) {
                transaction.settle(outstanding, verdict);
              }
            });
      } else {
        transaction.settle(tag, verdict);
      }
    } else if (multiple && verdict.returns()) {
      unacked.settleThroughInQueueOrder(
          last, (source, from, to) -> send(source, from, to, verdict));
    } else if (multiple) {
      unacked.settleThrough(last, (source, from, to) -> send(source, from, to, verdict));
    } else {
      unacked.settle(tag, (source, from, to) -> send(source, from, to, verdict));
    }
  }

  private static ChannelException unknown(long tag) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED, "unknown delivery tag " + Long.toUnsignedString(tag));
  }

  /**
   * Returns the queues with a length limit among those whose messages would be settled: whether
   * such a queue accepts a later message may depend on the settlement. None for a tag that is not
   * outstanding.
   */
  List<Queue> limitedQueues(long tag, boolean multiple) {
    Set<Queue> limited = new LinkedHashSet<>();
    if (multiple && (tag == 0 || unacked.contains(tag))) {
      unacked.forEachThrough(
          tag == 0 ? unacked.lastTag() : tag, outstanding -> addIfLimited(outstanding, limited));
    } else if (unacked.contains(tag)) {
      addIfLimited(tag, limited);
    }
    return List.copyOf(limited);
  }

  private void addIfLimited(long tag, Set<Queue> limited) {
    Queue queue = unacked.source(tag).queue();
    if (queue.settings().length().isLimited()) {
      limited.add(queue);
    }
  }

  /** Applies the verdicts of a transaction. */
  void commit(SortedMap<Long, Verdict> verdicts) {
    verdicts.forEach(
        (tag, verdict) -> {
          if (unacked.contains(tag)) {
            unacked.settle(tag, (source, from, to) -> send(source, from, to, verdict));
          } else {
            consumers.lost().settle(tag);
          }
        });
  }

  /**
   * {@code basic.recover}: requeues the unsettled deliveries. Those whose settlement waits for a
   * commit stay, as in RabbitMQ.
   *
   * @param transaction the channel's transaction, or null
   */
  void recover(Transaction transaction) {
    if (transaction == null || transaction.verdictCount() == 0) {
      consumers.recover();
      return;
    }
    List<Long> undecided = new ArrayList<>();
    unacked.forEachThrough(
        unacked.lastTag(),
        tag -> {
          if (!transaction.hasSettled(tag)) {
            undecided.add(tag);
          }
        });
    undecided.forEach(tag -> settle(tag, false, Verdict.REQUEUE, null));
  }

  private boolean isOutstanding(long tag, Transaction transaction) {
    return unacked.contains(tag) && (transaction == null || !transaction.hasSettled(tag));
  }

  private void send(DeliverySource source, long from, long to, Verdict verdict) {
    switch (source.queue().isStream() ? ofStream(source, verdict) : verdict) {
      case ACKNOWLEDGE -> {
        commands.acknowledge(source.queue(), source.consumer(), from, to);
        counters.add(Counter.ACKED, to - from + 1);
        consumers.countersOf(source).add(Counter.ACKED, to - from + 1);
      }
      case REJECT, REQUEUE, FAIL -> putBack(source, from, to, verdict);
    }
    consumers.giveBack(source, to - from + 1);
  }

  /** Messages of a stream stay in it: since RabbitMQ 4 whatever is said of one acknowledges it. */
  private Verdict ofStream(DeliverySource source, Verdict verdict) {
    if (verdict != Verdict.ACKNOWLEDGE && !consumers.dialect().settlesStreamsByAnyVerdict()) {
      throw source.queue().streamsLack("basic.nack and basic.reject");
    }
    return Verdict.ACKNOWLEDGE;
  }

  private void putBack(DeliverySource source, long from, long to, Verdict verdict) {
    if (verdict == Verdict.REJECT) {
      commands.reject(source.queue(), source.consumer(), from, to);
    } else if (verdict == Verdict.FAIL) {
      commands.fail(source.queue(), source.consumer(), from, to);
    } else {
      commands.requeue(source.queue(), source.consumer(), from, to);
    }
  }
}
