package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import java.util.function.Supplier;

/**
 * The side of a connection to a partition that decides whether it takes it: it says so in the first
 * frame, or closes the connection. In bursts of the partition's shard.
 *
 * <p>All nodes learn at about the same time that a partition has another leader, or another
 * replica. So a node may be called before its own shard knows of it or has opened the log. A
 * connection that nothing takes yet is held for a moment, which is shorter than to open another
 * one.
 */
final class AcceptingLink implements LinkListener {
  /** The type of the frame that says that the connection is taken. Without body. */
  static final int TAKEN = 80;

  private static final int LOOKS = 40;
  private static final int LOOK_MILLIS = 5;

  private final Shard shard;
  private final Supplier<LinkListener> taker;
  private final String refusal;
  private LinkListener listener;

  /** Null unless it is open. */
  private LinkPort asking;

  /**
   * Creates it.
   *
   * @param shard the partition's
   * @param taker returns what takes the connection; null if nothing does at the moment
   * @param refusal what the other side is told if that stays so for 200 ms
   */
  AcceptingLink(Shard shard, Supplier<LinkListener> taker, String refusal) {
    this.shard = shard;
    this.taker = taker;
    this.refusal = refusal;
  }

  @Override
  public void up(LinkPort port) {
    asking = port;
    answer(LOOKS);
  }

  private void answer(int looksLeft) {
    listener = taker.get();
    if (listener != null) {
      asking.send(TAKEN, new ByteWriter());
      listener.up(asking);
    } else if (looksLeft > 0) {
      shard.loop().schedule(() -> shard.run(() -> lookAgain(looksLeft - 1)), LOOK_MILLIS);
    } else {
      asking.close(refusal);
    }
  }

  private void lookAgain(int looksLeft) {
    if (asking == null) {
      return;
    }
    try {
      answer(looksLeft);
    } catch (RuntimeException e) {
      shard.faults().report("the beginning of a connection on", shard, e);
      if (asking != null) {
        asking.close("the connection could not be used");
      }
    }
  }

  @Override
  public void frame(int type, ByteReader body) {
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
    asking = null;
    if (listener != null) {
      listener.lost(why);
    }
  }
}
