package io.mayflymq.cluster.store;

import java.nio.ByteBuffer;

/** Where a copy of all that a leader has goes: to a follower. Called on the shard's thread. */
public interface LogCopySink {
  /** Returns whether it keeps up with what it is given. */
  boolean isWritable();

  /**
   * Receives a part, to be given to {@link DiskReplica#take} there, in the same order. Bursts that
   * end meanwhile are given whether or not the sink is writable.
   *
   * @param content not to be changed any more
   */
  void part(ByteBuffer content);

  /** The copy has all that there is after the last burst so far. */
  void end();

  /**
   * The copy has failed: the log could not be read, or this node leads no more.
   *
   * @param reason for the log
   */
  void failed(String reason);
}
