package io.mayflymq.cluster.owner;

import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * The times for which consumers of a lost node are waited for, until they are over or the node is
 * back. On the link's shard.
 *
 * <p>Source: RabbitMQ 4.3, {@code consumer-disconnected-timeout}.
 */
final class Absences {
  private final List<Absence> running = new ArrayList<>(0);

  /** How many links of the node there are: an old one may be lost after a new one is up. */
  private int links;

  private final class Absence {
    private Runnable end;

    Absence(Runnable end) {
      this.end = end;
    }

    void end() {
      Runnable once = end;
      end = null;
      running.remove(this);
      if (once != null) {
        once.run();
      }
    }
  }

  /** A link of the node is up: its consumers join anew by it. */
  void linkUp() {
    links++;
    new ArrayList<>(running).forEach(Absence::end);
  }

  /** A link of the node that was up is lost. */
  void linkLost() {
    links--;
  }

  /**
   * Begins to wait, unless the node has another link.
   *
   * @param millis how long at most, in ms
   * @param end what to do then, once
   */
  void begin(Shard shard, long millis, Runnable end) {
    if (links > 0) {
      end.run();
      return;
    }
    Absence absence = new Absence(end);
    running.add(absence);
    shard
        .loop()
        .schedule(() -> shard.run(absence::end), Math.min(millis, QueueArguments.MAX_MILLIS));
  }
}
