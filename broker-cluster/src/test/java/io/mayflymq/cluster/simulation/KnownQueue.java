package io.mayflymq.cluster.simulation;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A queue as its clients have seen it, and what they have done to it. */
final class KnownQueue {
  private static final int ALL = Integer.MAX_VALUE;

  final long id;
  final QueueDefinition definition;
  final SimulatedNode home;

  /** The nodes on which it was in force. */
  private final Set<Integer> seenOn = new HashSet<>();

  /** All that it has had. */
  private final List<SimulatedConsumer> consumers = new ArrayList<>();

  private int fetchesWithoutAnswer;
  private int everywhereSince = ALL;
  private boolean usedWithoutAcknowledgement;
  private int clearings;
  private int clearedUpTo;
  private boolean deletionRequested;
  private boolean undeletionRequested;
  private boolean mayEndWithHome;

  /** The names of the queues that operators have moved messages to. */
  private final Set<String> movedTo = new HashSet<>();

  private final PolicyHistory policies;

  KnownQueue(long id, QueueDefinition definition, SimulatedNode home, PolicyHistory policies) {
    this.policies = policies;
    this.id = id;
    this.definition = definition;
    this.home = home;
  }

  /** Returns whether it is on several nodes, and so on none alone. */
  boolean isReplicated() {
    return home == null;
  }

  String name() {
    return definition.name();
  }

  QueueSettings settings() {
    return definition.settings();
  }

  /**
   * Looks on which nodes it is in force.
   *
   * @param published how many messages were published so far
   */
  void lookEverywhere(SimulatedCluster cluster, int published) {
    if (everywhereSince == ALL) {
      for (NodeProcess process : cluster.processes()) {
        Queue there = process.queue(name());
        if (there != null && there.id() == id) {
          seenOn.add(process.node().number());
        }
      }
      if (seenOn.size() == cluster.nodes().size()) {
        everywhereSince = published;
      }
    }
  }

  /** Returns whether all nodes knew it before a message was published. */
  boolean wasEverywhere(int number) {
    return number >= everywhereSince;
  }

  /** A client takes messages without acknowledging them: what is on its way may be lost. */
  void useWithoutAcknowledgement() {
    usedWithoutAcknowledgement = true;
  }

  void consumedBy(SimulatedConsumer consumer) {
    consumers.add(consumer);
  }

  /** A client asks for a message with {@code basic.get}. */
  void fetching() {
    fetchesWithoutAnswer++;
  }

  /** It has got the answer. */
  void fetched() {
    fetchesWithoutAnswer--;
  }

  /**
   * Returns whether a consumer may get messages behind later ones: another one may have released
   * them, or the node of a client may not have got what {@code basic.get} has taken.
   */
  boolean mayGetReleased(SimulatedConsumer consumer) {
    return fetchesWithoutAnswer > 0
        || consumers.stream().anyMatch(other -> other != consumer && other.mayRelease());
  }

  /** Messages are about to be removed: all that there are may be gone from now on. */
  void clearing() {
    clearings++;
    clearedUpTo = ALL;
  }

  /** They are removed: what is published after so many messages is not. */
  void cleared(int published) {
    clearings--;
    if (clearings == 0) {
      clearedUpTo = published;
    }
  }

  /** Some messages are about to be moved to another queue. */
  void moving(String target) {
    movedTo.add(target);
  }

  /** Returns the names of the queues that messages may have been moved to. */
  Set<String> movedTo() {
    return movedTo;
  }

  void deletionRequested() {
    deletionRequested = true;
  }

  /** It is about to be brought back after it was deleted. */
  void undeletionRequested() {
    undeletionRequested = true;
  }

  /** Returns whether it may have been deleted, and brought back. */
  boolean wasDeleted() {
    return undeletionRequested;
  }

  /** Its home's process has ended, or is taken for gone by the others. */
  void homeEnded() {
    mayEndWithHome |= !definition.durable();
  }

  /** Returns whether it may be gone. */
  boolean mayBeGone() {
    return deletionRequested || mayEndWithHome;
  }

  /** Returns whether a message may have been removed with others, or be lost to a client. */
  boolean mayHaveLost(int number) {
    return usedWithoutAcknowledgement || mayBeGone() || number < clearedUpTo;
  }

  /** Returns whether a message may have left it without a client's doing. */
  boolean limits(int number) {
    return settings().expiry().messageTtlMillis() != QueueSettings.NONE
        || settings().length().isLimited()
        || policies.limits(number);
  }

  /** Returns whether it had a limit of its length, or may have had one when a message was there. */
  boolean limitsLength(int number) {
    return settings().length().isLimited() || policies.limitsLength(number);
  }

  /** Returns whether it dead-letters what it has no room for, though that stays where it was. */
  boolean copiesWhatItRefuses() {
    return settings().length().overflow() == Overflow.REJECT_PUBLISH_DLX
        && deadLetterQueue() != null;
  }

  /** Returns the name of the queue that its dead messages go to; null for none. */
  String deadLetterQueue() {
    return settings().deadLetters().exchange() == null
        ? null
        : settings().deadLetters().routingKey();
  }

  @Override
  public String toString() {
    return "queue %d '%s' on %s with %s"
        .formatted(
            id,
            name(),
            home == null ? "several nodes" : "node " + home.number(),
            definition.arguments());
  }
}
