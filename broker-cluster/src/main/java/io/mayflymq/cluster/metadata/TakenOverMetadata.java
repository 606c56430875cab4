package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.QueuePlace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All metadata that a node takes over from another one, as it is away for too long. */
public final class TakenOverMetadata {
  private TakenOverMetadata() {}

  /**
   * Returns the metadata as this node is to keep them. Only a queue's own node knows in which of
   * its partitions the queue really is, and finds its messages by that after a restart; so what it
   * has noted stays. The number of a replicated partition is the same on all nodes.
   *
   * @param taken the metadata of the other node
   * @param own those that this node has had
   */
  public static List<MetadataCommand> keepingPlaces(
      List<MetadataCommand> taken, List<MetadataCommand> own) {
    Map<Long, QueuePlace> places = new HashMap<>();
    for (MetadataCommand command : own) {
      if (command instanceof QueueDeclared queue) {
        places.put(queue.id(), queue.place());
      } else if (command instanceof QueueKept kept) {
        places.put(kept.queue().id(), kept.queue().place());
      } else if (command instanceof QueueMoving move) {
        places.put(move.copyId(), move.to());
      }
    }
    return taken.stream().map(command -> keepingPlace(command, places)).toList();
  }

  private static MetadataCommand keepingPlace(
      MetadataCommand command, Map<Long, QueuePlace> places) {
    if (command instanceof QueueDeclared queue) {
      return keepingPlace(queue, places);
    }
    if (command instanceof QueueKept kept) {
      return new QueueKept(
          keepingPlace(kept.queue(), places),
          kept.bindings(),
          kept.lostBindings(),
          kept.deletedAtMillis(),
          kept.deletedBy());
    }
    if (command instanceof QueueMoving move) {
      return new QueueMoving(
          move.vhost(), move.queue(), kept(move.to(), places.get(move.copyId())), move.copyId());
    }
    return command;
  }

  private static QueueDeclared keepingPlace(QueueDeclared queue, Map<Long, QueuePlace> places) {
    return new QueueDeclared(
        queue.vhost(), queue.queue(), queue.id(), kept(queue.place(), places.get(queue.id())));
  }

  private static QueuePlace kept(QueuePlace place, QueuePlace known) {
    boolean isOwn = known != null && !place.isReplicated() && known.member() == place.member();
    return isOwn ? known : place;
  }
}
