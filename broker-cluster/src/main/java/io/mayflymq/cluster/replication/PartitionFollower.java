package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Copy;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.TakeOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakenOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakesOver;
import io.mayflymq.core.store.BurstId;
import java.util.function.Consumer;

/**
 * A replica that follows the leader of its partition: it stores bursts in the leader's order, and
 * answers how far it has forced them. It obeys the leader of the highest epoch that it has heard
 * of, and refuses all others. On the thread of the partition.
 */
final class PartitionFollower {
  /** Of a follower that was sent no burst yet. */
  static final long NEVER = Long.MIN_VALUE;

  private final Replica replica;
  private Consumer<ReplicationMessage.ToLeader> answer = message -> {};

  /** The epoch of the leader that is followed; 0 while none is. */
  private long followed;

  private boolean takesOver;
  private long sentAt = NEVER;

  /** Creates a follower that no leader has spoken to. */
  PartitionFollower(Replica replica) {
    this.replica = replica;
  }

  /**
   * A connection from a leader has been opened, in place of any earlier one.
   *
   * @param answering sends the answers
   */
  void connected(Consumer<ReplicationMessage.ToLeader> answering) {
    answer = answering;
    followed = 0;
    takesOver = false;
    sentAt = NEVER;
  }

  /** The assignment names a leader of this epoch: earlier ones are refused from now on. */
  void heardOf(long epoch) {
    replica.heardOf(epoch);
  }

  /** The leader has sent a message over the connection that was opened last. */
  void received(ReplicationMessage.ToFollower message) {
    if (message.epoch() < replica.epoch()) {
      answer.accept(new Refused(message.epoch(), replica.epoch()));
      return;
    }
    replica.heardOf(message.epoch());
    if (message instanceof Lead lead) {
      answer.accept(new Position(lead.epoch(), replica.log().last(), replica.log().history()));
    } else if (message instanceof Follow follow) {
      replica.cutAfter(follow.after());
      followed = follow.epoch();
    } else if (message instanceof TakeOver) {
      takesOver = true;
      replica.log().takingOver();
      answer.accept(new TakesOver(message.epoch(), replica.log().streamEnds()));
    } else if (message instanceof Copy copy && takesOver) {
      replica.log().take(copy.content());
    } else if (message instanceof TakenOver taken && takesOver) {
      takesOver = false;
      replica.takenOver(taken.last(), taken.history());
      followed = taken.epoch();
    } else if (message instanceof Append append && followed == append.epoch()) {
      append(append);
    }
  }

  private void append(Append append) {
    append.bursts().forEach(replica::append);
    replica.committed(append.committed());
    replica.tail().dropUpTo(replica.committed());
    sentAt = append.sentAt();
    if (append.bursts().isEmpty()) {
      tell(); // Else the answer is that they are forced.
    }
  }

  /** The log of this node is forced up to a burst. */
  void forced(BurstId last) {
    replica.forced(last);
    if (followed != 0) {
      tell();
    }
  }

  private void tell() {
    answer.accept(new Forced(followed, replica.forced(), sentAt));
  }
}
