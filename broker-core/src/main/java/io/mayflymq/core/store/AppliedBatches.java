package io.mayflymq.core.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The batches of commands that a replicated partition has applied, by the links of nodes. The same
 * on each replica that has the same bursts. Belongs to the partition's thread.
 *
 * <p>A node sends a batch again, to the next leader, if it does not know what became of it. So the
 * leader logs the number of the last batch that it has applied of each link, in the burst that has
 * what the batch has changed: both are in the history of the partition, or neither is. Numbers of a
 * link are applied in rising order, so one number is enough; one record covers all batches of a
 * burst.
 *
 * <p>What became of the commands of a batch is known by that, too: all have succeeded, which is
 * nearly always so, or the record of the batch lists those that have not. These lists are kept for
 * a number of batches. The highest number of a batch whose list was dropped is kept as well, so
 * what is not known any more is not taken for a success.
 *
 * <p>A node has one process at a time, and a process one link, and they begin here in that order.
 * So when another link begins, what is known of an earlier one is dropped, and nothing more of that
 * is taken.
 */
public final class AppliedBatches {
  private final Runnable onChange;
  private final Map<Integer, LinkBatches> byNode = new TreeMap<>();
  private final Set<UUID> ended = new HashSet<>();
  private final List<LinkBatches> changed = new ArrayList<>();

  /** Receives what is known of links. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Batches of a link have been applied.
     *
     * @param number all up to this one
     * @param unknownUpTo what became of the commands of batches up to this number is not known any
     *     more; of others it is known, and it is success unless something else is told
     * @param outcome what became of the commands of the batch of this number; empty if all have
     *     succeeded, or if that has been told already
     */
    void accept(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome);
  }

  /**
   * Creates it without batches.
   *
   * @param onChange called when a batch has been applied, and all have been noted before: {@link
   *     #note} has to be called before the burst ends
   */
  public AppliedBatches(Runnable onChange) {
    this.onChange = onChange;
  }

  /**
   * Returns the batches of a link that sends some. Other links of its node have ended; if it is a
   * link that has ended, its batches {@link LinkBatches#hasEnded have} as well.
   */
  public LinkBatches of(BatchOrigin origin) {
    LinkBatches known = byNode.get(origin.node());
    if (known != null && known.origin().equals(origin)) {
      return known;
    }
    LinkBatches link = new LinkBatches(origin, this::changed);
    if (ended.contains(origin.link())) {
      link.end();
      return link;
    }
    if (known != null) {
      known.end();
      changed.remove(known);
      ended.add(known.origin().link());
    }
    byNode.put(origin.node(), link);
    return link;
  }

  private void changed(LinkBatches link) {
    changed.add(link);
    if (changed.size() == 1) {
      onChange.run();
    }
  }

  /** Takes what a log has; see {@link Sink#accept}. */
  public void recovered(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    of(origin).recovered(number, unknownUpTo, outcome);
  }

  /** Visits what has been applied since the last call. */
  public void note(Sink sink) {
    for (LinkBatches link : changed) {
      link.note(sink);
    }
    changed.clear();
  }

  /** Visits all that is known. */
  public void forEach(Sink sink) {
    byNode.values().forEach(link -> link.forEach(sink));
  }
}
