package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;

/** A connection of a node to itself, without a socket: both sides are on the same shard. */
final class Loopback {
  private final Shard shard;
  private final Side near;
  private final Side far;
  private boolean closed;

  /**
   * Creates the connection; it is not open yet.
   *
   * @param near the side that has opened it
   * @param far the side that is told first
   */
  Loopback(Shard shard, LinkListener near, LinkListener far) {
    this.shard = shard;
    this.near = new Side(near);
    this.far = new Side(far);
    this.near.other = this.far;
    this.far.other = this.near;
  }

  /** Opens it. */
  void open() {
    far.listener.up(far);
    near.listener.up(near);
  }

  /** Closes it: both sides are told, later. */
  void close(String why) {
    if (!closed) {
      closed = true;
      shard.execute(
          () -> {
            far.lost(why);
            near.lost(why);
          });
    }
  }

  private final class Side implements LinkPort {
    private final LinkListener listener;
    private Side other;

    Side(LinkListener listener) {
      this.listener = listener;
    }

    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public void send(int type, ByteWriter body) {
      if (!closed) {
        other.received(type, new ByteReader(body.bytes(), body.size()));
      }
    }

    private void received(int type, ByteReader body) {
      try {
        listener.frame(type, body);
      } catch (Throwable e) {
        shard.faults().report("a frame of this node on", shard, e);
        close("the frame could not be processed");
      }
    }

    private void lost(String why) {
      try {
        listener.lost(why);
      } catch (Throwable e) {
        shard.faults().report("the end of a connection on", shard, e);
      }
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      Loopback.this.close(why);
    }
  }
}
