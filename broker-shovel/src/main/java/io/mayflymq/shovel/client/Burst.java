package io.mayflymq.shovel.client;

import java.io.IOException;

/** Gathers what one thread sends on a connection. For one thread at a time. */
public interface Burst {
  /** From now on, what this thread sends may wait for the end of the burst. */
  void begin();

  /**
   * Sends what waits.
   *
   * @throws IOException if the connection is broken
   */
  void end() throws IOException;
}
