package io.mayflymq.core.proof;

import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where the dead letters of a queue go by what there is at present.
 *
 * @param state how far that is known
 * @param targets the queues that get them
 * @param cycle whether they may come back to the queue that they died in
 */
public record DeadLetterWay(State state, List<Target> targets, boolean cycle) {
  /** How far the way is known. */
  public enum State {
    /** The queue dead-letters nothing. */
    NONE,
    /** To a dead letter queue of its own. */
    OWN,
    /** The exchange does not exist, or another queue has the name of its own one. */
    MISSING,
    /** The exchange leads nowhere. */
    UNROUTABLE,
    /** The keys of messages decide, which only their publishers know. */
    BY_MESSAGE,
    /** To the same queues always. */
    KNOWN
  }

  /**
   * A queue that gets dead letters.
   *
   * @param name its name
   * @param keeps whether it keeps persistent messages over a restart
   * @param near whether it is in the same partition: the log has both in one record
   * @param settings how it is set
   */
  public record Target(String name, boolean keeps, boolean near, QueueSettings settings) {
    /** Whether it may refuse a dead letter, which is lost there. */
    boolean mayRefuse() {
      return settings.length().isLimited()
          && settings.length().overflow() != Overflow.DROP_HEAD
          && settings.length().overflow() != Overflow.BLOCK
          && !settings.deadLettersWhatItRefuses();
    }
  }

  /** For a queue that dead-letters nothing. */
  public static final DeadLetterWay NOWHERE = new DeadLetterWay(State.NONE, List.of(), false);

  /** Whether all of them may refuse one at the same time. */
  boolean mayBeRefused() {
    return !targets.isEmpty() && targets.stream().allMatch(Target::mayRefuse);
  }

  /** Whether transient messages survive a restart wherever they get to. */
  boolean keepsAll() {
    return targets.stream().allMatch(target -> target.settings().type() == QueueType.QUORUM);
  }

  /** Returns the names of the targets. */
  String names() {
    return targets.stream()
        .map(target -> "'" + target.name() + "'")
        .collect(Collectors.joining(", "));
  }
}
