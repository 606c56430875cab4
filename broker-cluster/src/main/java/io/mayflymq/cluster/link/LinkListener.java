package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;

/** One side of a link. Called in bursts of the shard that the link belongs to. */
public interface LinkListener {
  /** The connection is open. */
  void up(LinkPort port);

  /**
   * A frame has arrived.
   *
   * @param body valid until the method returns
   * @throws ByteFormatException if it cannot be read: the connection is closed then
   */
  void frame(int type, ByteReader body);

  /** The other side keeps up again. */
  void writable();

  /**
   * The connection was lost, or could not be opened.
   *
   * @param why in one line
   */
  void lost(String why);
}
