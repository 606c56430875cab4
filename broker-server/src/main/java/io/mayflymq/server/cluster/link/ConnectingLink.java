package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;

/**
 * The side of a connection to a partition that has opened it: nothing is sent before the other side
 * has taken the connection. In bursts of the shard.
 */
final class ConnectingLink implements LinkListener {
  private final LinkListener listener;
  private LinkPort asked;
  private boolean isTaken;

  ConnectingLink(LinkListener listener) {
    this.listener = listener;
  }

  @Override
  public void up(LinkPort port) {
    asked = port;
    isTaken = false;
  }

  @Override
  public void frame(int type, ByteReader body) {
    if (isTaken) {
      listener.frame(type, body);
    } else if (type == AcceptingLink.TAKEN) {
      isTaken = true;
      listener.up(asked);
    } else {
      throw new ByteFormatException(
          "a frame of type %d before the connection was taken".formatted(type));
    }
  }

  @Override
  public void writable() {
    if (isTaken) {
      listener.writable();
    }
  }

  @Override
  public void lost(String why) {
    isTaken = false;
    asked = null;
    listener.lost(why);
  }
}
