package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The way from a node to the queues of a replicated partition, whichever node leads it. On its
 * shard, but for two methods.
 *
 * <p>Clients see a change of the leader, or a lost connection, as a delay: what they have asked
 * stays here, and goes to the leader by the next connection. That begins with
 *
 * <ol>
 *   <li>the frame ORIGIN, by which the leader knows the link and which of its batches were applied,
 *       by whichever leader;
 *   <li>the consumers, with their ranks, and REJOINED: the leader has them join in the order that
 *       those of all nodes had ({@code ConsumerOrder}). Their clients are told nothing, unless
 *       their queue is not there any more, or another consumer has it for itself;
 *   <li>the batches that have not come back, with the numbers that they had. One that was applied
 *       is not applied again. Settlements of deliveries by an earlier connection are left out of it
 *       ({@link RemoteConsumers}): those messages are ready again, unless the batch was applied;
 *   <li>the requests that are not answered.
 * </ol>
 *
 * <p>What a request does that was carried out, and whose answer was lost:
 *
 * <pre>{@code
 * SUBSCRIBE          nothing: the consumer went with the connection. One that was cancelled
 *                    meanwhile does not join again
 * CANCEL             is not asked again: the consumer went with the connection, so that is
 *                    done
 * WINDOW             is not asked again: the consumer joins with its present window
 * FETCH              takes the next message: the one before is ready again, or was not to be
 *                    acknowledged
 * PURGE, REMOVE_SCHEDULED   remove what has come since, and return only its number
 * DELETE             finds no queue, which is a success, with no message in it
 * USED               renews the lease again
 * LOCKS_RENEWED      counts again
 * STATUS, CONTENTS, BROWSE    change nothing
 * COPY               is not asked again, as it would add twice: it fails, and with it the
 *                    move, and the queue stays where it is.
 *                    The first one waits for a leader
 * }</pre>
 *
 * <p>Publishers wait as long as there is no leader, and are held up by what they have under way.
 * Requests fail after a time. What a leader cannot read, time and again, comes back as failed: see
 * {@code OwnerBatches}.
 *
 * <p>A leader that cannot commit says so (STALLED, GOES_ON). That is as if there was none, but what
 * it was asked it may answer later: a message that basic.get has taken goes back then, a consumer
 * that has joined is cancelled.
 *
 * <p>A batch that has come back, and whose dead letters are still on their way when its connection
 * is lost, is taken as arrived, since the next leader does not know of it: a command that waits for
 * that may be earlier than the dead letters.
 */
public final class PartitionLink implements QueueLink {
  /**
   * A request fails when it has been without a leader that answers for so long in all. A client of
   * RabbitMQ's quorum queues has the same time for a command: {@code COMMAND_TIMEOUT} of {@code
   * rabbit_fifo_client}.
   */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final UUID id;
  private final int number;
  private final int member;
  private final Partition partition;
  private final Shard shard;
  private final PartitionHost host;
  private final LinkTraffic traffic;
  private final LeaderlessTime leaderless;

  private final List<Waiting> completedInTime = new ArrayList<>(0);

  private volatile String node = "";

  /** Null if there is none. */
  private String leader;

  /** Null without a leader. */
  private Incarnations current;

  private boolean watches;

  /**
   * An answer of which a client is told in time.
   *
   * @param since when it was asked for, by the clock of the time without a leader
   */
  private record Waiting(CompletableFuture<Void> answer, long since) {}

  /** Whether the leader to which there is a connection cannot commit. */
  private boolean stalls;

  /**
   * Creates it without a leader.
   *
   * @param id that no other link to the partition has, of whichever process
   * @param number of the partition; it decides the shard
   * @param member the number of this node
   * @param partitions of this node
   * @param host opens connections to leaders, and may lead itself
   */
  public PartitionLink(UUID id, int number, int member, Partitions partitions, PartitionHost host) {
    this.id = id;
    this.number = number;
    this.member = member;
    this.shard = partitions.shards().get(Math.floorMod(number, partitions.shards().count()));
    this.partition = partitions.addRemote(shard);
    this.host = host;
    this.leaderless = new LeaderlessTime(shard);
    this.traffic = new LinkTraffic(shard, partitions, this::ask, OwnerErrors::leaderless);
  }

  /** Returns the last leader that was known; empty before the first. */
  @Override
  public String node() {
    return node;
  }

  /** Returns what stands for the partition on this node. Any thread may call. */
  public Partition partition() {
    return partition;
  }

  @Override
  public Queue nearest(Queue queue) {
    return host.nearest(queue);
  }

  @Override
  public void declared(Queue queue) {
    shard.runOrExecute(() -> host.declared(queue));
  }

  @Override
  public void awaited(Queue copy) {
    shard.runOrExecute(() -> host.awaited(copy));
  }

  @Override
  public void arrived(Queue queue) {
    shard.runOrExecute(() -> host.arrived(queue));
  }

  @Override
  public void deleted(Queue queue) {
    shard.runOrExecute(() -> host.deleted(queue));
  }

  @Override
  public void kept(Queue queue, long deletedAtMillis) {
    shard.runOrExecute(() -> host.kept(queue, deletedAtMillis));
  }

  @Override
  public RemoteConsumers consumers() {
    return traffic.consumers();
  }

  /**
   * Another node leads the partition. Within a burst of the shard.
   *
   * @param name the name of the node, which may be this one; null if no node leads it
   */
  public void leader(String name) {
    if (Objects.equals(name, leader)) {
      return;
    }
    leader = name;
    if (current != null) {
      Incarnations before = current;
      current = null;
      before.end();
      lost();
    }
    if (name != null) {
      node = name;
      current = new Incarnations();
      current.connection = host.connect(name, number, shard, current);
    }
  }

  /** Listens to the connections to one leader. What comes after its time is ignored. */
  private final class Incarnations implements LinkListener {
    private PartitionHost.Connection connection;

    /** Without a connection if the connector has thrown. */
    void end() {
      if (connection != null) {
        connection.end();
      }
    }

    @Override
    public void up(LinkPort port) {
      if (current == this) {
        begin(port);
      }
    }

    @Override
    public void frame(int type, ByteReader body) {
      if (current == this && isUp()) {
        received(type, body);
      }
    }

    @Override
    public void writable() {
      // What is sent here is limited by those who send it.
    }

    @Override
    public void lost(String why) {
      if (current == this) {
        PartitionLink.this.lost();
      }
    }
  }

  private void received(int type, ByteReader body) {
    switch (type) {
      case LinkFrame.STALLED -> {
        stalls = true;
        leaderless.start();
        watch();
      }
      case LinkFrame.GOES_ON -> {
        stalls = false;
        leaderless.stop();
      }
      default -> traffic.frame(type, body);
    }
  }

  @Override
  public void send(RemoteCommands<Queue> commands) {
    long batch = traffic.batches().add(commands);
    if (isUp()) {
      traffic.send(batch, commands);
    }
  }

  @Override
  public void ask(LinkRequest<?> request) {
    if (isUp()) {
      request.setMark(leaderless.nanos());
      traffic.send(traffic.requests().add(request), request);
      watch();
    } else if (isOfConnection(request)) {
      traffic.requests().lose(request);
    } else {
      request.setMark(leaderless.nanos());
      traffic.requests().add(request);
      watch();
    }
  }

  private boolean isUp() {
    return traffic.port() != null;
  }

  /** Whether it concerns what is there only as long as the connection. */
  private static boolean isOfConnection(LinkRequest<?> request) {
    return switch (request.kind()) {
      case CANCEL, WINDOW -> true;
      default -> false;
    };
  }

  private static boolean isNotRepeated(LinkRequest<?> request) {
    return isOfConnection(request) || request.kind() == RequestKind.COPY;
  }

  /** A connection is open. */
  private void begin(LinkPort port) {
    stalls = false;
    leaderless.stop();
    traffic.begin(port);
    port.send(
        LinkFrame.ORIGIN,
        new ByteWriter()
            .number(id.getMostSignificantBits())
            .number(id.getLeastSignificantBits())
            .number(member));
    new Resumption(this, traffic, shard.faults()).run();
  }

  /** The connection was lost, or has ended: what is open stays so, as far as it can. */
  private void lost() {
    if (!isUp()) {
      return;
    }
    leaderless.start();
    traffic.end();
    traffic.requests().take(LinkRequest::isGivenUp);
    traffic.consumers().suspend();
    traffic.requests().take(Resumption::joinsAgain);
    traffic.batches().forgetReturned();
    traffic.requests().lose(PartitionLink::isNotRepeated);
    watch();
  }

  /** Whether there is no leader that answers. */
  private boolean isLeaderless() {
    return !isUp() || stalls;
  }

  /** Whether a request is not to wait for ever. */
  private static boolean isBounded(LinkRequest<?> request) {
    return !request.isGivenUp() && !isOfConnection(request) && !Resumption.joinsAgain(request);
  }

  @Override
  public void completeInTime(CompletableFuture<Void> answer) {
    if (!answer.isDone()) {
      completedInTime.add(new Waiting(answer, leaderless.nanos()));
      answer.whenComplete(
          (done, failure) -> completedInTime.removeIf(each -> each.answer == answer));
      watch();
    }
  }

  /** Sees to it that requests do not wait for ever. */
  private void watch() {
    LinkRequest<?> first = traffic.requests().first(PartitionLink::isBounded);
    if (!watches && isLeaderless() && (first != null || !completedInTime.isEmpty())) {
      watches = true;
      long since = first == null ? Long.MAX_VALUE : first.mark();
      for (Waiting each : completedInTime) {
        since = Math.min(since, each.since);
      }
      long left = Math.max(0, LONGEST_NANOS - waited(since));
      shard
          .loop()
          .schedule(
              () -> shard.run(this::endWaits), (left + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
  }

  private long waited(long since) {
    return leaderless.nanos() - since;
  }

  private void endWaits() {
    watches = false;
    if (isUp()) {
      traffic.requests().giveUp(request -> isBounded(request) && hasWaited(request));
    } else {
      traffic.requests().lose(this::hasWaited);
    }
    List.copyOf(completedInTime).stream()
        .filter(each -> waited(each.since) >= LONGEST_NANOS)
        .forEach(each -> each.answer.complete(null));
    watch();
  }

  private boolean hasWaited(LinkRequest<?> request) {
    return waited(request.mark()) >= LONGEST_NANOS;
  }

  @Override
  public String toString() {
    return "the leader of partition " + number;
  }
}
