package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.vhost.command.IncomingCommands;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.function.BooleanSupplier;

/**
 * The owning node's side of one connection of a link. On the link's shard.
 *
 * <p>It acts as a connection of a client does: commands go to their queues in the order in which
 * they arrive, consumers join queues, and when the connection is lost they go, and what they had
 * not settled is requeued.
 *
 * <p>The declaration of a queue may be in force on the other node earlier than here. What arrives
 * for such a queue waits for it, and all that follows on the link with it, since its order counts.
 *
 * <p>A link leads to the queues of a node, or to those of a replicated partition that this node
 * leads. They differ in the batches of commands only, see {@link OwnerBatches}.
 */
public final class OwnerLink implements LinkListener, IncomingCommands.Names {
  /** After this time a queue whose declaration is not in force counts as deleted. */
  private static final long LONGEST_WAIT_MILLIS = 2_000;

  private final Shard shard;
  private final OwnerQueues queues;
  private final OwnerConsumers consumers;
  private final OwnerBatches batches;
  private final HeldFrames held;

  /** Null for the queues of a node. */
  private final ConsumerOrder.OfNode order;

  /** Of the links of the node before, too, if its queues are replicated. */
  private final Absences absences;

  private final int shards;
  private OwnerDeliveries output;
  private OwnerRequests requests;
  private LinkPort port;

  /**
   * Creates the side of one connection to the queues of this node.
   *
   * @param shard the shard that the connection belongs to
   * @param partitions where the queues of this node are
   */
  public OwnerLink(Shard shard, Partitions partitions, QueueLookup lookup) {
    this(shard, partitions, lookup, null, null);
  }

  /**
   * Creates the side of one connection to the queues of a replicated partition. What is sent waits
   * in the connection until what the partition has written before is committed.
   *
   * @param shard the shard of the partition
   * @param partitions where the queues of this node are
   * @param lookup finds the partition's queues
   * @param applied the batches that it has applied
   * @param order in which consumers of the other node join with those of others
   */
  public OwnerLink(
      Shard shard,
      Partitions partitions,
      QueueLookup lookup,
      AppliedBatches applied,
      ConsumerOrder.OfNode order) {
    this.shard = shard;
    this.shards = partitions.shards().count();
    this.queues = new OwnerQueues(lookup);
    this.consumers =
        new OwnerConsumers(shard, new ShardCommandSender(shard, partitions, () -> {}, false));
    this.batches = new OwnerBatches(shard, this, applied, new BatchOutput());
    this.order = order;
    this.absences = order == null ? new Absences() : order.absences();
    this.held = new HeldFrames(shard, this::process);
  }

  @Override
  public void up(LinkPort opened) {
    port = opened;
    absences.linkUp();
    output = new OwnerDeliveries(shard, shards, opened, consumers::putBack);
    requests = new OwnerRequests(shard, output, consumers, order == null ? null : order.all());
  }

  @Override
  public void frame(int type, ByteReader body) {
    if (held.isHolding()) {
      held.add(type, body);
    } else {
      process(type, body);
    }
  }

  private void process(int type, ByteReader in) {
    switch (type) {
      case LinkFrame.QUEUE -> queue(in);
      case LinkFrame.FORGET_QUEUES -> queues.clear();
      case LinkFrame.COMMANDS -> batches.commands(in);
      case LinkFrame.ORIGIN -> origin(in);
      case LinkFrame.REQUEST -> requests.answer(in, queues);
      case LinkFrame.CREDIT -> credit(in);
      case LinkFrame.RECALLED -> recalled(in);
      case LinkFrame.REJOINED -> rejoined();
      default -> throw new ByteFormatException("unexpected frame of type " + type);
    }
  }

  private void origin(ByteReader in) {
    batches.origin(in);
    if (order != null && !output.haveRanks()) {
      order.complete();
    }
  }

  private void rejoined() {
    if (order == null) {
      throw new ByteFormatException("consumers of a node do not join again");
    }
    order.complete();
  }

  private void queue(ByteReader in) {
    long number = in.number();
    queues.put(number, in.text(), in.text(), in.number());
    if (queues.isAwaited(number)) {
      held.hold(
          () -> queues.lookAgain(number) || !queues.isAwaited(number),
          LONGEST_WAIT_MILLIS,
          why -> port.close(why));
    }
  }

  private final class BatchOutput implements OwnerBatches.Output {
    @Override
    public void send(int type, ByteWriter body) {
      output.send(type, body);
    }

    @Override
    public void hold(BooleanSupplier end) {
      held.hold(end, Long.MAX_VALUE, why -> port.close(why));
    }

    @Override
    public void close(String why) {
      port.close(why);
    }
  }

  private void credit(ByteReader in) {
    OwnerConsumer consumer = consumers.get(in.number());
    long bytes = in.number();
    if (consumer != null) {
      consumer.credit(bytes);
    }
  }

  private void recalled(ByteReader in) {
    OwnerConsumer consumer = consumers.get(in.number());
    if (consumer != null) {
      consumer.recalled();
    }
  }

  @Override
  public Queue queue(long number) {
    return queues.get(number);
  }

  @Override
  public Consumer settled(Queue queue, long consumer, long from, long to) {
    return consumers.settled(queue, consumer, from, to);
  }

  @Override
  public void unsettled(Queue queue, Consumer consumer, long from, long to) {
    consumers.unsettled(queue, consumer, from, to);
  }

  @Override
  public void writable() {
    consumers.wakeAll();
  }

  @Override
  public void lost(String why) {
    held.close();
    batches.close();
    if (output != null) {
      output.close();
      requests.close();
      absences.linkLost();
      consumers.close(absences);
    }
  }
}
