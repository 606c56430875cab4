package io.mayflymq.it.cluster.quorum;

import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.util.Random;

/** What a thread does to a queue again and again, by way of any node, whatever happens to these. */
final class Repeated {
  private final Thread thread;

  /** One time. */
  interface Turn {
    /**
     * Does it.
     *
     * @throws IOException if a node is not there, or was not in time: the next turn asks another
     *     one
     */
    void take(Random random) throws IOException, InterruptedException;
  }

  /** Begins to take turns. */
  Repeated(String name, long seed, Turn turn) {
    Random random = new Random(seed);
    thread =
        new Thread(
            () -> {
              while (!Thread.interrupted()) {
                try {
                  turn.take(random);
                } catch (IOException e) {
                  // The next one is asked.
                } catch (InterruptedException e) {
                  return;
                }
              }
            },
            name);
    thread.start();
  }

  /** Takes no more turns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join(Patience.MILLIS);
  }
}
