package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.simulation.Publication.Copy;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/*
 * The model: what clients have published, and what they were given. It knows no queue from within, only what the documentation promises:
 *
 * - what is confirmed, persistent and in a durable queue is delivered until it is settled, or dies;
 * - what a client holds, or has settled, goes to no other client as long as the node of the queue can know of that;
 * - what is delivered again is marked;
 * - nothing is delivered by a node after its deadline by the clock of that node, unless its time stood still.
 */
/** Knows what was published and delivered, and what must be true of that. */
final class Ledger {
  private final SimulatedCluster cluster;
  private final Map<Long, KnownQueue> queues = new TreeMap<>();
  private final List<Publication> publications = new ArrayList<>();

  /** The dead letters that were delivered, by queue and number of the message. */
  private final Map<String, Map<Long, Delivery>> deadLetters = new HashMap<>();

  /** The same by number, those of all queues. */
  private final Map<Integer, List<Delivery>> indirect = new HashMap<>();

  private final Set<SimulatedNode> ended = new HashSet<>();
  private final Set<String> deletions = new HashSet<>();
  private final Map<String, PolicyHistory> policies = new HashMap<>();

  /** The names of queues whose messages may have had more time than their TTL. */
  private final Set<String> stood = new HashSet<>();

  private boolean anyTrouble;
  private boolean anyUninformed;

  Ledger(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** Something was lost or has ended: dead letters may be there twice from now on. */
  void trouble() {
    anyTrouble = true;
  }

  /** A node learns nothing of what is agreed upon for some time. */
  void uninformed() {
    anyUninformed = true;
  }

  /**
   * Returns whether a leader may not have known a queue when a message arrived: it takes a queue
   * for deleted that it still does not know after some time.
   */
  boolean mayBeUnknown(KnownQueue queue, int number) {
    return anyUninformed && !queue.wasEverywhere(number);
  }

  /** The process of a node has ended, or is taken for ended. */
  void homeEnds(SimulatedNode node) {
    queues.values().stream().filter(queue -> queue.home == node).forEach(KnownQueue::homeEnded);
    ended.add(node);
  }

  /** Returns how many messages were confirmed. */
  long confirmed() {
    return publications.stream().filter(Publication::isConfirmed).count();
  }

  int published() {
    return publications.size();
  }

  /** Returns what is known of a queue. */
  KnownQueue queue(Queue queue, NodeProcess at) {
    return queues.computeIfAbsent(
        queue.id(),
        id -> {
          QueueDefinition definition = queue.definition();
          SimulatedNode home =
              queue.isReplicated()
                  ? null
                  : queue.isLocal() ? at.node() : cluster.node(queue.home().node());
          KnownQueue known = new KnownQueue(id, definition, home, policies(definition.name()));
          if (ended.contains(home)) {
            // Its declaration may be older than that.
            known.homeEnded();
          }
          if (deletions.contains(known.name())) {
            known.deletionRequested();
          }
          return known;
        });
  }

  /** A queue is about to be deleted: any that has this name. */
  void deletionRequested(String name) {
    deletions.add(name);
    queues.values().stream()
        .filter(queue -> queue.name().equals(name))
        .forEach(KnownQueue::deletionRequested);
  }

  /** A deleted queue is about to be brought back, with what was delivered and not settled. */
  void undeletionRequested(long id) {
    KnownQueue queue = queues.get(id);
    if (queue != null) {
      queue.undeletionRequested();
      trouble();
    }
  }

  /** The time of messages stands still from now on, until the pause ends. */
  void timeStandsStill(String queue) {
    stood.add(queue);
  }

  /** Returns what is known of the policies for queues of a name. */
  PolicyHistory policies(String name) {
    return policies.computeIfAbsent(name, first -> new PolicyHistory());
  }

  /** No node has any policy any more. */
  void policiesCleared() {
    policies.values().forEach(each -> each.cleared(publications.size()));
  }

  Iterable<KnownQueue> queues() {
    return queues.values();
  }

  // Publishers

  Publication publish(
      SimulatedClient by,
      boolean persistent,
      long ttlMillis,
      long delayMillis,
      boolean confirmed,
      List<KnownQueue> to) {
    for (KnownQueue queue : queues.values()) {
      queue.lookEverywhere(cluster, publications.size());
    }
    Publication added =
        new Publication(publications.size(), by, persistent, ttlMillis, delayMillis, confirmed, to);
    publications.add(added);
    return added;
  }

  Publication publication(int number) {
    return publications.get(number);
  }

  // Consumers

  private Copy copy(Delivery delivery) {
    Publication publication = publications.get(delivery.number());
    for (Copy copy : publication.copies) {
      if (copy.queue.id == delivery.queue.id()) {
        return copy;
      }
    }
    return null;
  }

  /** A client was given a message. */
  void delivered(Delivery delivery) {
    cluster.trace().delivered(delivery);
    cluster.leaders().told();
    if (!delivery.isInForce()) {
      return; // It was under way when its connection broke: its queue has taken it back.
    }
    if (delivery.isDeadLetter()) {
      deadLetter(delivery);
      requireOnce(delivery);
      return;
    }
    Copy copy = copy(delivery);
    require(copy != null, "was not published there", delivery);
    if (copy.queue.isReplicated()) {
      deliveredByReplicas(copy, delivery);
      copy.setLast(delivery);
      requireOnce(delivery);
      return;
    }
    Delivery last = copy.last();
    if (last != null) {
      require(
          last.state() == Delivery.State.RETURNED || !last.isInForce(),
          "delivered twice",
          delivery,
          last);
      require(
          delivery.redelivered || !last.isOfSameProcess(),
          "not marked as redelivered",
          delivery,
          last);
    }
    copy.setLast(delivery);
    requireOnce(delivery);
  }

  /**
   * No more of a message are taken than there were queues that it was published to, unless a queue
   * may have dead-lettered what it did not let in.
   */
  private void requireOnce(Delivery delivery) {
    List<Copy> copies = publications.get(delivery.number()).copies;
    List<Delivery> others = indirect.getOrDefault(delivery.number(), List.of());
    if (!anyTrouble()
        && others.stream().anyMatch(Delivery::wasMoved)
        && queues.values().stream().noneMatch(this::movesToCopier)) {
      long taken =
          copies.stream().filter(copy -> copy.last() != null && copy.last().isTaken()).count()
              + others.stream().filter(Delivery::isTaken).count();
      require(taken <= copies.size(), "moved, and still there", delivery, copies, others);
    }
  }

  private boolean movesToCopier(KnownQueue from) {
    return queues.values().stream()
        .anyMatch(to -> from.movedTo().contains(to.name()) && to.copiesWhatItRefuses());
  }

  /**
   * A leader may not know what the one before has delivered last, and what clients have settled
   * last. It knows that it may have been delivered.
   */
  private void deliveredByReplicas(Copy copy, Delivery delivery) {
    long sequence = delivery.homeSequence();
    if (sequence >= 0) {
      require(
          copy.sequence < 0 || copy.sequence == sequence || copy.queue.wasDeleted(),
          "entered twice",
          delivery,
          copy.sequence);
      copy.sequence = sequence;
    }
    requireReason(delivery, copy.last());
  }

  private void requireReason(Delivery delivery, Delivery last) {
    if (last != null) {
      require(delivery.redelivered, "not marked as redelivered", delivery, last);
      require(
          anyTrouble() || last.state() == Delivery.State.RETURNED,
          "delivered twice",
          delivery,
          last);
    }
  }

  /** Each of the queues that a message was in may have sent one, unless something has failed. */
  private void deadLetter(Delivery delivery) {
    String key = key(delivery.queue.id(), delivery.number());
    Map<Long, Delivery> entries = deadLetters.computeIfAbsent(key, first -> new TreeMap<>());
    Delivery last = entries.put(delivery.homeSequence(), delivery);
    List<Delivery> all = indirect.computeIfAbsent(delivery.number(), first -> new ArrayList<>());
    all.remove(last);
    all.add(delivery);
    if (queues.get(delivery.queue.id()).isReplicated()) {
      requireReason(delivery, last);
    } else {
      require(
          last == null || last.state() == Delivery.State.RETURNED || !last.isInForce(),
          "dead letter delivered twice",
          delivery,
          last);
    }
    require(
        anyTrouble() || entries.size() <= publications.get(delivery.number()).copies.size(),
        "too many dead letters",
        entries);
  }

  /** Returns the dead letters of a message that were delivered from a queue. */
  Collection<Delivery> deadLetters(KnownQueue queue, int number) {
    return deadLetters.getOrDefault(key(queue.id, number), Map.of()).values();
  }

  private static String key(long queueId, int number) {
    return queueId + " " + number;
  }

  /** A node hands a message out, at this time by its clock. */
  void handedOut(int number, long queueId, boolean isDeadLetter, long millis) {
    for (Copy copy : publications.get(number).copies) {
      if (copy.queue.id == queueId && !isDeadLetter) {
        require(
            millis <= copy.deadline()
                || copy.queue.wasDeleted()
                || stood.contains(copy.queue.name()),
            "delivered after its deadline",
            copy);
        Publication publication = copy.of;
        require(
            publication.delayMillis == 0
                || copy.queue.isReplicated()
                || copy.queue.home.clockWasSet()
                || publication.by.process().node().clockWasSet()
                || cluster.elapsedMillis() >= publication.publishedAt + publication.delayMillis,
            "delivered before its time",
            copy);
      }
    }
  }

  // At the end

  /** Everything rests, and clients have taken all that there was. */
  void check() {
    for (Publication publication : publications) {
      require(
          !publication.isAwaited() || !publication.by.process().isRunning(),
          "no outcome for a message",
          publication.number);
      if (publication.isConfirmed()) {
        publication.copies.forEach(this::check);
      }
    }
  }

  private void check(Copy copy) {
    require(isAccountedFor(copy), "lost", copy);
  }

  private boolean isAccountedFor(Copy copy) {
    boolean isSafe =
        copy.queue.isReplicated() || (copy.of.persistent && copy.queue.definition.durable());
    return (copy.last() != null && copy.last().state() == Delivery.State.ENDED)
        || copy.queue.mayHaveLost(copy.of.number)
        || (!isSafe && copy.queue.home.incarnation() > copy.incarnation)
        || wentElsewhere(copy.queue, copy.of, queues.size())
        || (copy.mayHaveDied() && isDeathAccountedFor(copy.queue, copy.of, queues.size()));
  }

  /**
   * Returns whether a message was seen that an operator had moved, or may be gone where it may have
   * been moved to.
   */
  private boolean wentElsewhere(KnownQueue from, Publication publication, int depth) {
    if (from.movedTo().isEmpty()) {
      return false;
    }
    int number = publication.number;
    return publication.ttlMillis >= 0
        || depth == 0
        || indirect.getOrDefault(number, List.of()).stream().anyMatch(Delivery::wasMoved)
        || from.movedTo().stream().anyMatch(name -> mayEndIn(name, publication, depth - 1));
  }

  private boolean mayEndIn(String name, Publication publication, int depth) {
    List<KnownQueue> targets =
        queues.values().stream().filter(queue -> queue.name().equals(name)).toList();
    if (targets.size() != 1) {
      return true;
    }
    KnownQueue target = targets.get(0);
    boolean isSafe =
        target.isReplicated() || (publication.persistent && target.definition.durable());
    return !isSafe
        || !target.wasEverywhere(publication.number)
        || target.mayHaveLost(publication.number)
        || target.limits(publication.number)
        || wentElsewhere(target, publication, depth);
  }

  /**
   * Returns whether the dead letter of a message was seen, or may be gone: between durable queues
   * none is lost, unless more than its source's length limit wait there.
   */
  private boolean isDeathAccountedFor(KnownQueue from, Publication publication, int depth) {
    String name = from.deadLetterQueue();
    if (name == null
        || !from.definition.durable()
        || !publication.persistent
        || from.limitsLength(publication.number)
        || depth == 0) {
      return true;
    }
    List<KnownQueue> targets =
        queues.values().stream().filter(queue -> queue.name().equals(name)).toList();
    if (targets.size() != 1) {
      return true;
    }
    KnownQueue target = targets.get(0);
    return !target.wasEverywhere(publication.number)
        || target.mayHaveLost(publication.number)
        || !target.definition.durable()
        || deadLetters.containsKey(key(target.id, publication.number))
        || wentElsewhere(target, publication, depth)
        || (target.limits(publication.number)
            && isDeathAccountedFor(target, publication, depth - 1));
  }

  /** Returns whether anything was lost or has ended, or a partition was given another leader. */
  boolean anyTrouble() {
    return anyTrouble || cluster.hasElected();
  }

  private static void require(boolean holds, String what, Object... of) {
    if (!holds) {
      throw new AssertionError(what + ": " + Arrays.toString(of));
    }
  }
}
