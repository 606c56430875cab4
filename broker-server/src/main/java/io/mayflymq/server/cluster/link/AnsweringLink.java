package io.mayflymq.server.cluster.link;

import io.mayflymq.core.link.LinkListener;
import io.mayflymq.core.link.LinkPort;
import io.mayflymq.core.link.LinkReader;
import io.mayflymq.core.link.LinkWriter;
import java.util.function.Supplier;

/**
 * The side of a connection to a partition that decides whether it takes it: it says so in the first
 * frame, or closes the connection. In bursts of the partition's shard.
 */
final class AnsweringLink implements LinkListener {
  /** The type of the frame that says that the connection is taken. Without body. */
  static final int TAKEN = 80;

  private final Supplier<LinkListener> taker;
  private final String refusal;
  private LinkListener listener;

  /**
   * Creates it.
   *
   * @param taker returns what takes the connection; null if nothing does
   * @param refusal what the other side is told then
   */
  AnsweringLink(Supplier<LinkListener> taker, String refusal) {
    this.taker = taker;
    this.refusal = refusal;
  }

  @Override
  public void up(LinkPort port) {
    listener = taker.get();
    if (listener == null) {
      port.close(refusal);
    } else {
      port.send(TAKEN, new LinkWriter());
      listener.up(port);
    }
  }

  @Override
  public void frame(int type, LinkReader body) {
    if (listener != null) {
      listener.frame(type, body);
    }
  }

  @Override
  public void writable() {
    if (listener != null) {
      listener.writable();
    }
  }

  @Override
  public void lost(String why) {
    if (listener != null) {
      listener.lost(why);
    }
  }
}
