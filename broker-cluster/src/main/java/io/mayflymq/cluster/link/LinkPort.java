package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteWriter;

/** An open connection to another node, for one shard. On the shard's thread but for one method. */
public interface LinkPort {
  /** Returns the version of the frames on this connection: see {@link LinkVersion}. */
  int version();

  /**
   * Sends a frame at the end of the burst at the latest.
   *
   * @param type see {@link LinkFrame}
   * @param body is copied
   */
  void send(int type, ByteWriter body);

  /** Returns whether the other side keeps up with what is sent to it. Any thread may call. */
  boolean isWritable();

  /**
   * Closes the connection; {@link LinkListener#lost} follows.
   *
   * @param why in one line, for both sides
   */
  void close(String why);
}
