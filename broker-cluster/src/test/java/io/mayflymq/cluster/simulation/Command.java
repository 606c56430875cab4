package io.mayflymq.cluster.simulation;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * A step of a program.
 *
 * @param seed decides on all that the action leaves open
 */
record Command(Action action, long seed) {
  /** What can happen, and how often it does beside the rest. */
  enum Action {
    // What clients do
    DECLARE(10),
    BIND(5),
    PUBLISH(22),
    SCHEDULE(4),
    CONSUME(7),
    CANCEL(3),
    GET(8),
    SETTLE(14),
    ROOM(3),
    /** A client closes its channel, and opens another one. */
    CLOSE(2),
    PURGE(1),
    DELETE(1),
    /** A queue that was deleted is brought back, if it can be. */
    UNDELETE(2),
    /** An operator moves some messages to another queue, at the node that has theirs. */
    MOVE(5),

    // What operators do to any queue
    PAUSE(2),
    RESUME(2),

    // What goes on by itself
    /** Some things happen, in any order. */
    RUN(45),
    /** Everything happens that can. */
    REST(3),
    TIME(8),
    /** Seconds pass, and everything happens at its time. */
    WAIT(2),

    // Faults
    KILL(1),
    POWER_LOSS(1),
    /** All machines lose their power, and only some of them are started again at once. */
    BLACKOUT(1),
    START(3),
    BREAK(3),
    BLOCK(1),
    CUT(1),
    ISOLATE(1),
    /** Connections end on which nothing arrives. */
    NOTICE(2),
    HEAL(3),
    FREEZE(1),
    THAW(2),
    FULL_DISK(1),
    FAILING_FORCE(1),
    FAILING_METADATA(1),
    MEND_DISKS(2),
    SET_CLOCK(1),
    /** A clock goes faster or slower than time does. */
    DRIFT(1),
    LOSE_PROPOSAL(1),
    /** Nothing is agreed upon for some time. */
    HOLD_LOG(1),
    /** A node learns nothing of what is agreed upon for some time. */
    UNINFORM(1),
    INFORM(3),
    /** A disk does nothing for some time, and says nothing. */
    STALL_DISK(1),
    /** The others take a node for gone. */
    GIVE_UP(1),

    // What operators do to replicated queues
    POLICY(2),
    CLEAR_POLICY(1),
    /** Another node is to lead. */
    HAND_OVER(3),
    /** A node is to keep a partition no more, or again. */
    REPLICAS(3);

    private final int weight;

    Action(int weight) {
      this.weight = weight;
    }

    /** Returns the actions that are not left out, each as often as it does beside the rest. */
    static List<Action> weightedWithout(Set<Action> leftOut) {
      return Arrays.stream(values())
          .filter(action -> !leftOut.contains(action))
          .flatMap(action -> Collections.nCopies(action.weight, action).stream())
          .toList();
    }
  }
}
