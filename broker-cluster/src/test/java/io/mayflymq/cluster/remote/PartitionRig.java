package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.protocol.types.FieldTable;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A node with two shards, and a replicated partition whose leader changes. */
final class PartitionRig {
  /** The number of the node. */
  static final int MEMBER = 7;

  private static final int PARTITION = 5;

  final TestBroker here = TestBroker.of(2);
  final TestBroker home;
  final LeaderLinks links;
  final PartitionLink link;

  /**
   * Starts without a leader.
   *
   * @param shards how many the leader has
   */
  PartitionRig(int shards) {
    home = TestBroker.of(shards);
    links = new LeaderLinks(home);
    link = new PartitionLink(UUID.randomUUID(), PARTITION, MEMBER, here.partitions, links);
  }

  /** The number of the partition's shard on this node. */
  int shard() {
    return link.partition().shard().index();
  }

  void leader(String node) {
    here.on(shard(), () -> link.leader(node));
  }

  /** Lets everything run that waits, and what comes of it. */
  void rest() {
    for (int i = 0; i < 30; i++) {
      here.trimMemory();
      home.trimMemory();
    }
  }

  /** Lets both run for a moment, in which not all is done that waits. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      here.loops.all().forEach(ManualLoop::step);
      home.loops.all().forEach(ManualLoop::step);
    }
  }

  /** The leader is lost, and another one is there, after clients went on meanwhile. */
  void failOver(Runnable meanwhile) {
    links.cut();
    rest();
    leader(null);
    meanwhile.run();
    rest();
    links.mend();
    leader("c@host");
    rest();
  }

  /** Declares a queue of the partition and returns what stands for it here. */
  Queue queue(String name, FieldTable arguments) {
    Queue there = home.declare(name, arguments);
    QueuePlace place = QueuePlace.replicated(PARTITION);
    return RemoteQueue.create(
        new QueueIdentity(there.id(), there.definition(), null, place), here.vhost, link);
  }

  <T> T done(CompletableFuture<T> future) {
    rest();
    assertThat(future).isDone();
    return future.join();
  }

  long consumersAtHome(Queue queue) {
    return done(queue.lifecycle().status(false)).consumers();
  }

  /** Publishes messages in one burst of a loop, and leaves it at that. */
  void publishing(int loop, Queue queue, PublishListener listener, int... numbers) {
    here.on(
        loop,
        () -> {
          for (int number : numbers) {
            here.commands(loop).publish(queue, TestBroker.message(number), listener, number);
          }
        });
  }
}
