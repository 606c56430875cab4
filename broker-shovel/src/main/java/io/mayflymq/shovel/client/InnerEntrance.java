package io.mayflymq.shovel.client;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * How a part of the broker connects to the broker itself: by an address of this machine, with a
 * secret that only this process knows. Any thread may call.
 */
public interface InnerEntrance {
  /**
   * The SASL mechanism: the response is the secret, and behind it the name of a user or nothing.
   */
  String MECHANISM = "MAYFLY-INNER";

  /**
   * Returns where it listens; from the first call on it does.
   *
   * @throws IOException if it cannot listen
   */
  InetSocketAddress address() throws IOException;

  /** Returns the secret. */
  byte[] secret();

  /**
   * Returns a channel from within.
   *
   * @param port the one on this machine that its connection, which is open, has come from
   * @param channel its number
   * @throws IOException if the connection is not there any more
   */
  InnerChannel channel(int port, int channel) throws IOException;
}
